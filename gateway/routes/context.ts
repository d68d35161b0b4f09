import type { Principal } from '../auth/principal.ts';

/** What every route finds prepared by `app.ts`: the request's id (also its id in the books) and who asks. */
export interface AppEnv {
  Variables: {
    requestId: string;
    /** Set on every route that is not public. */
    principal: Principal;
    /** The matched route of `policies.ts`, for the log: a path could hold anything. */
    route: string;
  };
}
