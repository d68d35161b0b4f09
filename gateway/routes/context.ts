import type { Principal } from '../auth/principal.ts';
import type { Door } from '../gateway.ts';

/** What every route finds prepared by `app.ts`: the request's id (also its id in the books) and who asks. */
export interface AppEnv {
  /** What the carrier of the request can do; nothing is known of it in process. */
  Bindings: Partial<Door>;
  Variables: {
    requestId: string;
    /** Set on every route that is not public. */
    principal: Principal;
    /** The matched route of `policies.ts`, for the log: a path could hold anything. */
    route: string;
  };
}
