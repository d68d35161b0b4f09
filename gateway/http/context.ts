import type { ErrorCode } from '#shared/errors.ts';
import type { Principal } from '../access/auth/principal.ts';
import type { MemoryLease } from '../runtime/body/body-blocks.ts';
import type { ConnectionInfo } from './exchange.ts';
import type { RequestContext } from './request-context.ts';

/** What every route finds prepared by `app.ts`: the request's id (also its id in the ledger) and who asks. */
export interface AppEnv {
  Bindings: ConnectionInfo;
  Variables: {
    request: RequestContext;
    requestId: string;
    /** Set on every route that is not public. */
    principal: Principal;
    /** Why the request was refused or failed, for the log. */
    code?: ErrorCode;
    /** The body's share of the memory for large bodies. */
    memoryLease: MemoryLease;
  };
}
