import { timingSafeEqual } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { Elysia, status, t } from 'elysia';
import postgres from 'postgres';

/** Identifiers are small enough for numbers here, so that they are read as such. */
const sql = postgres(process.env['DATABASE_URL'] ?? '', {
  max: 20,
  types: { bigint: { to: 20, from: [20], serialize: String, parse: Number } },
});

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

new Elysia({ precompile: true })
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
    async ({ query: { limit, status, after } }) => {
      if (status !== undefined) {
        return sql<Row[]>`
          SELECT id, name, category_id AS "categoryId", status FROM pets
          WHERE status = ${status} AND id > ${after} ORDER BY id LIMIT ${limit}`;
      }
      const rows = await sql<Row[]>`
        SELECT id, name, category_id AS "categoryId", status FROM pets
        WHERE id > ${after} ORDER BY id LIMIT ${limit}`;
      return rows.map(toPet);
    },
    {
      // Patterns, because Elysia decodes a query with t.Integer twice for each request.
      query: t.Object({
        limit: t.String({ pattern: '^([1-9][0-9]?|100)$', default: '20' }),
        status: t.Optional(petStatus),
        after: t.String({ pattern: '^[0-9]{1,15}$', default: '0' }),
      }),
    },
  )
  .get('/v1/pets/:id', async ({ params, status }) => {
    const id = Number(params.id);
    const [row] = Number.isSafeInteger(id)
      ? await sql<Row[]>`
          SELECT id, name, category_id AS "categoryId", status FROM pets WHERE id = ${id}`
      : [];
    return row === undefined
      ? status(404, problem('pet_not_found', 'No such animal.', 404))
      : toPet(row);
  })
  .post(
    '/v1/pets',
    async ({ body: { name, categoryId, status } }) => {
      const [created] = await sql<{ id: number }[]>`
        INSERT INTO pets (name, category_id, status)
        VALUES (${name}, ${categoryId}, ${status ?? null}) RETURNING id`;
      const id = created?.id;
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
