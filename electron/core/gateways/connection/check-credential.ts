import type { GatewayClient } from '#shared/client/gateway-client.ts';
import { GatewayError, isLacking } from '#shared/client/gateway-error.ts';
import type { ReportedVerification } from '#shared/client/reported.ts';

const limitMs = 8000;

/**
 * Checks that a gateway answers and accepts the credential. Null: it answers but can't verify a credential, because it
 * has only a list of models, which may need none. Throws `GatewayError`.
 */
export async function checkCredential(client: GatewayClient): Promise<ReportedVerification | null> {
  const signal = AbortSignal.timeout(limitMs);
  try {
    return await client.verify({ signal });
  } catch (error) {
    if (!isOther(error)) throw error;
  }
  try {
    const { credential, ...account } = await client.account({ signal });
    if (credential !== null) {
      const times = { created: null, expires_at: null, last_used_at: null };
      return { object: 'auth.verification', valid: true, credential: { ...times, ...credential }, account };
    }
  } catch (error) {
    if (!isOther(error)) throw error;
  }
  await client.models({ signal });
  return null;
}

/** True if the server isn't a Portico gateway or lacks this endpoint. */
const isOther = (error: unknown): boolean =>
  isLacking(error) || (error instanceof GatewayError && error.code === 'not_a_gateway');
