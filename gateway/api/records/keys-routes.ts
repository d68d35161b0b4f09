import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { changeKeyRequest, createKeyRequest } from '#shared/wire/key.ts';
import type { Keys } from '../../access/keys/keys.ts';
import type { AppEnv } from '../../http/context.ts';
import { otherBodyLimit } from '../../http/policies.ts';
import { listFields, readQuery } from '../../http/query.ts';
import { readJson } from '../../http/read-body.ts';
import { requestError } from '../../http/request-error.ts';

export const keysQuery = z.object(listFields);

/** Serves `GET/POST /v1/keys` and `PATCH/DELETE /v1/keys/{key_id}` (wire contract §10). */
export function keysRoutes({ keys }: { readonly keys: Keys }): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .get('/v1/keys', async (context) =>
      context.json(await keys.list(context.get('principal'), readQuery(context, keysQuery))),
    )
    .post('/v1/keys', async (context) =>
      context.json(await keys.create(context.get('principal'), await readBody(context, createKeyRequest)), 201),
    )
    .patch('/v1/keys/:id{.+}', async (context) => {
      const wanted = await readBody(context, changeKeyRequest);
      return context.json(await keys.change(context.get('principal'), context.req.param('id'), wanted));
    })
    .delete('/v1/keys/:id{.+}', async (context) =>
      context.json(await keys.revoke(context.get('principal'), context.req.param('id'))),
    );
}

/** Unknown fields are ignored and reported, as in every route (wire contract §1.0). */
async function readBody<Shape extends z.ZodRawShape>(
  context: Context<AppEnv>,
  schema: z.ZodObject<Shape>,
): Promise<z.output<z.ZodObject<Shape>>> {
  const body = await readJson(context.req.raw, otherBodyLimit, context.var.memoryLease);
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw requestError(parsed.error.issues, body);
  const unknown = Object.keys(body).filter((name) => !Object.hasOwn(schema.shape, name));
  const warnings = unknown.slice(0, 20).map((name) => `unknown_parameter=${encodeURIComponent(name).slice(0, 64)}`);
  if (warnings.length > 0) context.header('x-portico-warnings', warnings.join(', '));
  return parsed.data;
}
