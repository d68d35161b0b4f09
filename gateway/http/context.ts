import type { Principal } from '../auth/principal.ts';
import type { BodyPlace } from '../body/body-budget.ts';
import type { ChatPass } from '../limits/chat-pass.ts';
import type { Door } from './door.ts';

/** What every route finds prepared by `app.ts`: the request's id (also its id in the books) and who asks. */
export interface AppEnv {
  Bindings: Door;
  Variables: {
    requestId: string;
    /** Set on every route that is not public. */
    principal: Principal;
    /** The matched route of `policies.ts`, for the log: a path could hold anything. */
    route: string;
    /** Why the request was refused or failed, for the log. */
    code?: string;
    /** Its body's share of the memory for large ones. */
    place: BodyPlace;
    /** On chat routes: the request's way through the limits. */
    pass?: ChatPass;
  };
}
