import { timingSafeEqual } from 'node:crypto';
import express, { type NextFunction, type Request, type Response } from 'express';
import { MoreThan } from 'typeorm';
import { z } from 'zod';
import { open, Pet } from './entity.ts';

const pets = (await open()).getRepository(Pet);

const credential = Buffer.from(`Bearer ${process.env['API_KEY']}`);

function isAllowed(header: string | undefined): boolean {
  if (header === undefined) return false;
  const given = Buffer.from(header);
  return given.length === credential.length && timingSafeEqual(given, credential);
}

const refuse = (res: Response, status: number, code: string, message: string) =>
  res.status(status).json({ code, message, status });

/** Without a status, the field is absent. */
const toPet = ({ id, name, categoryId, status }: Pet) => ({
  id,
  name,
  categoryId,
  status: status ?? undefined,
});

const PetStatus = z.enum(['available', 'pending', 'sold']);
const queryInteger = z.string().regex(/^\d+$/).transform(Number);
const ListQuery = z.object({
  limit: queryInteger.pipe(z.int().min(1).max(100)).default(20),
  after: queryInteger.pipe(z.int()).default(0),
  status: PetStatus.optional(),
});
const NewPet = z.object({
  name: z.string().min(1).max(255),
  categoryId: z.int(),
  status: PetStatus.optional(),
});

const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.use((req, res, next) => {
  if (isAllowed(req.headers.authorization)) next();
  else refuse(res, 401, 'credential_invalid', 'The API key is not valid.');
});
app.use(express.json());

app.get('/v1/pets', async (req, res) => {
  const query = ListQuery.safeParse(req.query);
  if (!query.success) return refuse(res, 400, 'invalid_parameter', 'Invalid parameters.');
  const { limit, after, status } = query.data;
  const where = { id: MoreThan(after), ...(status === undefined ? {} : { status }) };
  const found = await pets.find({ where, order: { id: 'ASC' }, take: limit });
  return res.json(found.map(toPet));
});

app.get('/v1/pets/:id', async (req, res) => {
  const id = Number(req.params.id);
  const pet = Number.isSafeInteger(id) ? await pets.findOneBy({ id }) : null;
  return pet === null ? refuse(res, 404, 'pet_not_found', 'No such animal.') : res.json(toPet(pet));
});

app.post('/v1/pets', async (req, res) => {
  const body = NewPet.safeParse(req.body);
  if (!body.success) return refuse(res, 400, 'validation_failed', 'Invalid values.');
  const { identifiers } = await pets.insert({ ...body.data, status: body.data.status ?? null });
  const id = identifiers[0]?.['id'];
  return res
    .status(201)
    .location(`/v1/pets/${id}`)
    .json({ id, ...body.data });
});

app.use((_req, res) => {
  refuse(res, 404, 'not_found', 'Not found.');
});
app.use((error: { type?: string }, _req: Request, res: Response, _next: NextFunction) => {
  if (error.type === 'entity.parse.failed') refuse(res, 400, 'invalid_json', 'Invalid JSON.');
  else refuse(res, 500, 'internal', 'Something failed.');
});

app.listen(Number(process.env['PORT']), '127.0.0.1');
