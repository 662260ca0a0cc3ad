import { Database } from 'bun:sqlite';
import { timingSafeEqual } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { Elysia, status, t } from 'elysia';
import { SQLITE_PRAGMAS } from '../rows.ts';
import { addLogAndTags } from './log-and-tags.ts';

const database = new Database(process.env['DATABASE'], { strict: true });
database.run(SQLITE_PRAGMAS);

const columns = 'id, name, category_id AS categoryId, status';
const list = database.prepare<Row, [number, number]>(
  `SELECT ${columns} FROM pets WHERE id > ? ORDER BY id LIMIT ?`,
);
const listByStatus = database.prepare<Row, [string, number, number]>(
  `SELECT ${columns} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`,
);
const get = database.prepare<Row, [number]>(`SELECT ${columns} FROM pets WHERE id = ?`);
const insert = database.prepare<never, [string, number, string | null]>(
  'INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)',
);

const credential = Buffer.from(`Bearer ${process.env['API_KEY']}`);

function isAllowed(header: string | null): boolean {
  if (header === null) return false;
  const given = Buffer.from(header);
  return given.length === credential.length && timingSafeEqual(given, credential);
}

interface Row {
  id: number;
  name: string;
  categoryId: number;
  status?: string | null;
}

/** Without a status, the field is absent. */
function toPet(row: Row) {
  if (row.status === null) delete row.status;
  return row;
}

const problem = (code: string, message: string, status: number) => ({ code, message, status });
const petStatus = t.Union([t.Literal('available'), t.Literal('pending'), t.Literal('sold')]);

/** A constant: Elysia awaits every hook that returns the result of a call. */
const unauthorized = status(401, problem('credential_invalid', 'The API key is not valid.', 401));

const app = new Elysia({ precompile: true });
if (process.env['LOG_AND_TAGS'] !== undefined) addLogAndTags(app);

app
  .onError(({ code, status }) => {
    if (code === 'VALIDATION') return status(400, problem('invalid', 'Invalid values.', 400));
    if (code === 'PARSE') return status(400, problem('invalid_json', 'Invalid JSON.', 400));
    if (code === 'NOT_FOUND') return status(404, problem('not_found', 'Not found.', 404));
    return status(500, problem('internal', 'Something failed.', 500));
  })
  .onRequest(({ request }) => {
    if (!isAllowed(request.headers.get('authorization'))) return unauthorized;
  })
  .get(
    '/v1/pets',
    ({ query: { limit, status, after } }) =>
      status === undefined
        ? list.all(Number(after), Number(limit)).map(toPet)
        : listByStatus.all(status, Number(after), Number(limit)),
    {
      // Patterns, because Elysia decodes a query with t.Integer twice for each request.
      query: t.Object({
        limit: t.String({ pattern: '^([1-9][0-9]?|100)$', default: '20' }),
        status: t.Optional(petStatus),
        after: t.String({ pattern: '^[0-9]{1,15}$', default: '0' }),
      }),
    },
  )
  .get('/v1/pets/:id', ({ params, status }) => {
    const id = Number(params.id);
    const row = Number.isSafeInteger(id) ? get.get(id) : null;
    return row === null
      ? status(404, problem('pet_not_found', 'No such animal.', 404))
      : toPet(row);
  })
  .post(
    '/v1/pets',
    ({ body: { name, categoryId, status } }) => {
      const id = Number(insert.run(name, categoryId, status ?? null).lastInsertRowid);
      return Response.json(
        { id, name, categoryId, status },
        { status: 201, headers: { location: `/v1/pets/${id}` } },
      );
    },
    {
      body: t.Object({
        name: t.String({ minLength: 1, maxLength: 255 }),
        // Elysia's own integer would take "7" for 7.
        categoryId: Type.Integer(),
        status: t.Optional(petStatus),
      }),
    },
  )
  .listen({ hostname: '127.0.0.1', port: Number(process.env['PORT']) });
