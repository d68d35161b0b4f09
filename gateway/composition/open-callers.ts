import { createAuthorizer } from '../auth/authorize.ts';
import { watchCredentials } from '../auth/watch-credentials.ts';
import type { Foundation } from './open-foundation.ts';

/** Who may ask. `credentialsChanged` lets a change be seen at once, by those that run as well. */
export function openCallers({ db, peppers, now, tokenNames, plans, log }: Foundation) {
  const authorizer = createAuthorizer({ db, peppers, now, tokenNames, planOf: plans.of });
  const credentials = watchCredentials({ db, now, log });
  const credentialsChanged = () => {
    authorizer.forget();
    credentials.look();
  };
  return { authorizer, credentials, credentialsChanged };
}
