import { createAuthorizer } from '../access/auth/authorize.ts';
import { createSecretProof } from '../access/auth/key-secret.ts';
import { watchCredentials } from '../access/auth/watch-credentials.ts';
import type { Foundation } from './open-foundation.ts';

/** Opens authentication. `credentialsChanged` makes a change effective at once, also for running requests. */
export async function openCallers({ db, peppers, now, tokenNames, plans, log }: Foundation) {
  const onKeyFound = await createSecretProof({ db, peppers, now, log });
  const authorizer = createAuthorizer({ db, peppers, now, tokenNames, getPlan: plans.getPlan, onKeyFound });
  const credentials = watchCredentials({ db, now, log });
  const credentialsChanged = () => {
    authorizer.forget();
    credentials.check();
  };
  return { authorizer, credentials, credentialsChanged };
}
