import { Hono } from 'hono';
import { z } from 'zod';
import { requestStatus } from '#shared/wire/request-record.ts';
import type { AppEnv } from '../../http/context.ts';
import { endTime, flag, listFields, readQuery, startTime } from '../../http/query.ts';
import { listRequests, readRequest } from '../../ledger/records/requests-store.ts';
import type { GatewayDb } from '../../storage/open-database.ts';

const name = z.string().min(1, 'must not be empty').max(256).optional();
/** What may follow the question mark. */
export const requestsQuery = z.object({
  ...listFields,
  status: requestStatus.optional(),
  provider: name,
  model: name,
  key: name,
  purpose: name,
  conversation_id: name,
  client_request_id: name,
  byok: flag.optional(),
  start: startTime.optional(),
  end: endTime.optional(),
});

/** `GET /v1/requests` and `GET /v1/requests/{id}`: one record per request, never any content (wire contract §10). */
export function requestsRoutes({ db }: { readonly db: GatewayDb }): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .get('/v1/requests', async (context) =>
      context.json(await listRequests(db, context.get('principal').accountId, readQuery(context, requestsQuery))),
    )
    .get('/v1/requests/:id{.+}', async (context) =>
      context.json(await readRequest(db, context.get('principal').accountId, context.req.param('id'))),
    );
}
