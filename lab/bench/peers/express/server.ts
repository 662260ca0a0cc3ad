import { timingSafeEqual } from 'node:crypto';
import express, { type NextFunction, type Request, type Response } from 'express';
import { z } from 'zod';
import { open } from './database.ts';

/**
 * TypeORM as its fast form: SQL, whose statements it keeps prepared. Its repository and its query
 * builder write the SQL anew for each request.
 */
const database = await open();
const columns = 'id, name, category_id AS categoryId, status';
const list = `SELECT ${columns} FROM pets WHERE id > ? ORDER BY id LIMIT ?`;
const listByStatus = `SELECT ${columns} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`;
const get = `SELECT ${columns} FROM pets WHERE id = ?`;
const insert = 'INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)';

const credential = Buffer.from(`Bearer ${process.env['API_KEY']}`);

function isAllowed(header: string | undefined): boolean {
  if (header === undefined) return false;
  const given = Buffer.from(header);
  return given.length === credential.length && timingSafeEqual(given, credential);
}

const refuse = (res: Response, status: number, code: string, message: string) =>
  res.status(status).json({ code, message, status });

interface Row {
  id: number;
  name: string;
  categoryId: number;
  status: string | null;
}

/** Without a status, the field is absent. */
const toPet = ({ id, name, categoryId, status }: Row) => ({
  id,
  name,
  categoryId,
  status: status ?? undefined,
});

const PetStatus = z.enum(['available', 'pending', 'sold']);
const ListQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  after: z.coerce.number().int().min(0).default(0),
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

app.get('/v1/pets', async (req, res) => {
  const query = ListQuery.safeParse(req.query);
  if (!query.success) return refuse(res, 400, 'invalid_parameter', 'Invalid parameters.');
  const { limit, after, status } = query.data;
  const found: Row[] =
    status === undefined
      ? await database.query(list, [after, limit])
      : await database.query(listByStatus, [status, after, limit]);
  return res.json(found.map(toPet));
});

app.get('/v1/pets/:id', async (req, res) => {
  const id = Number(req.params.id);
  const [pet]: Row[] = Number.isSafeInteger(id) ? await database.query(get, [id]) : [];
  return pet === undefined
    ? refuse(res, 404, 'pet_not_found', 'No such animal.')
    : res.json(toPet(pet));
});

app.post('/v1/pets', express.json(), async (req, res) => {
  const body = NewPet.safeParse(req.body);
  if (!body.success) return refuse(res, 400, 'validation_failed', 'Invalid values.');
  const { name, categoryId, status } = body.data;
  const id: number = await database.query(insert, [name, categoryId, status ?? null]);
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
