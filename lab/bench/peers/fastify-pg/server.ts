import { timingSafeEqual } from 'node:crypto';
import { Ajv } from 'ajv';
import Fastify, { type FastifyError } from 'fastify';
import pg from 'pg';

/** Identifiers are small enough for numbers here, so that they are read as such. */
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 32 });

/** A query with a name is prepared once on each connection. */
const columns = 'id, name, category_id AS "categoryId", status';
const list = {
  name: 'list',
  text: `SELECT ${columns} FROM pets WHERE id > $1 ORDER BY id LIMIT $2`,
};
const listByStatus = {
  name: 'list-by-status',
  text: `SELECT ${columns} FROM pets WHERE status = $1 AND id > $2 ORDER BY id LIMIT $3`,
};
const get = { name: 'get', text: `SELECT ${columns} FROM pets WHERE id = $1` };
const insert = {
  name: 'insert',
  text: 'INSERT INTO pets (name, category_id, status) VALUES ($1, $2, $3) RETURNING id',
};

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
const toPet = (row: Row) => ({ ...row, status: row.status ?? undefined });

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
  async (req) => {
    const { limit, after, status } = req.query;
    const query =
      status === undefined
        ? { ...list, values: [after, limit] }
        : { ...listByStatus, values: [status, after, limit] };
    const { rows } = await pool.query<Row>(query);
    return status === undefined ? rows.map(toPet) : rows;
  },
);

app.get<{ Params: { id: string } }>(
  '/v1/pets/:id',
  { schema: { response: { 200: pet } } },
  async (req, res) => {
    const id = Number(req.params.id);
    const [row] = Number.isSafeInteger(id)
      ? (await pool.query<Row>({ ...get, values: [id] })).rows
      : [];
    if (row !== undefined) return toPet(row);
    return res.code(404).send(problem('pet_not_found', 'No such animal.', 404));
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
  async (req, res) => {
    const { name, categoryId, status } = req.body;
    const values = [name, categoryId, status ?? null];
    const { rows } = await pool.query<{ id: number }>({ ...insert, values });
    const id = rows[0]?.id;
    res.code(201).header('location', `/v1/pets/${id}`);
    return { id, name, categoryId, status };
  },
);

await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
