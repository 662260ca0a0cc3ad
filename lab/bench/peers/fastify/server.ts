import { timingSafeEqual } from 'node:crypto';
import { Ajv } from 'ajv';
import Database from 'better-sqlite3';
import Fastify, { type FastifyError } from 'fastify';
import { SQLITE_PRAGMAS } from '../rows.ts';

const database = new Database(process.env['DATABASE']);
database.exec(SQLITE_PRAGMAS);

const columns = 'id, name, category_id AS categoryId, status';
/** Lists get their rows as arrays, which better-sqlite3 makes faster than objects. */
const list = database.prepare(`SELECT ${columns} FROM pets WHERE id > ? ORDER BY id LIMIT ?`).raw();
const listByStatus = database
  .prepare(`SELECT ${columns} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`)
  .raw();
const get = database.prepare<unknown[], Row>(`SELECT ${columns} FROM pets WHERE id = ?`);
const insert = database.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)');

const credential = Buffer.from(`Bearer ${process.env['API_KEY']}`);

function isAllowed(header: string | undefined): boolean {
  if (header === undefined) return false;
  const given = Buffer.from(header);
  return given.length === credential.length && timingSafeEqual(given, credential);
}

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

type Columns = [id: number, name: string, categoryId: number, status: string | null];

const fromColumns = ([id, name, categoryId, status]: Columns) =>
  toPet({ id, name, categoryId, status });

const problem = (code: string, message: string, status: number) => ({ code, message, status });

const status = { type: 'string', enum: ['available', 'pending', 'sold'] };
const name = { type: 'string', minLength: 1, maxLength: 255 };
const categoryId = { type: 'integer' };
const pet = {
  type: 'object',
  required: ['id', 'name', 'categoryId'],
  properties: {
    id: { type: 'integer' },
    name: { type: 'string' },
    categoryId,
    status: { type: 'string' },
  },
};

/** Coerces what stands in a URL, as is Fastify's way, but nothing in a body: "1" is no categoryId. */
const app = Fastify();
const coercing = new Ajv({ coerceTypes: true, useDefaults: true });
const strict = new Ajv({ useDefaults: true });
app.setValidatorCompiler(({ schema, httpPart }) =>
  (httpPart === 'body' ? strict : coercing).compile(schema),
);

app.setErrorHandler((error: FastifyError, _req, res) => {
  const status = error.validation ? 400 : (error.statusCode ?? 500);
  const code = status < 500 ? 'invalid' : 'internal';
  res.code(status).send(problem(code, status < 500 ? error.message : 'Something failed.', status));
});
app.setNotFoundHandler((_req, res) => {
  res.code(404).send(problem('not_found', 'Not found.', 404));
});
app.addHook('onRequest', (req, res, done) => {
  if (isAllowed(req.headers.authorization)) done();
  else res.code(401).send(problem('credential_invalid', 'The API key is not valid.', 401));
});

app.get<{ Querystring: { limit: number; after: number; status?: string } }>(
  '/v1/pets',
  {
    schema: {
      querystring: {
        type: 'object',
        properties: {
          limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
          after: { type: 'integer', minimum: 0, default: 0 },
          status,
        },
      },
      response: { 200: { type: 'array', items: pet } },
    },
  },
  (req, res) => {
    const { limit, after, status } = req.query;
    const rows: Columns[] =
      status === undefined ? list.all(after, limit) : listByStatus.all(status, after, limit);
    res.send(rows.map(fromColumns));
  },
);

app.get<{ Params: { id: string } }>(
  '/v1/pets/:id',
  { schema: { response: { 200: pet } } },
  (req, res) => {
    const id = Number(req.params.id);
    const row = Number.isSafeInteger(id) ? get.get(id) : undefined;
    if (row === undefined) res.code(404).send(problem('pet_not_found', 'No such animal.', 404));
    else res.send(toPet(row));
  },
);

app.post<{ Body: { name: string; categoryId: number; status?: string } }>(
  '/v1/pets',
  {
    schema: {
      body: {
        type: 'object',
        required: ['name', 'categoryId'],
        properties: { name, categoryId, status },
      },
      response: { 201: pet },
    },
  },
  (req, res) => {
    const { name, categoryId, status } = req.body;
    const id = Number(insert.run(name, categoryId, status ?? null).lastInsertRowid);
    res.code(201).header('location', `/v1/pets/${id}`).send({ id, name, categoryId, status });
  },
);

await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
