import type { GatewayClient } from '#shared/client/gateway-client.ts';
import { GatewayError, isLacking } from '#shared/client/gateway-error.ts';
import type { ReportedVerification } from '#shared/client/reported.ts';

const limitMs = 8000;

/**
 * Whether a gateway is there and takes the credential, by its own word. Null: it answers and says nothing of the
 * credential, since it has only a list of models, which may need none. Throws `GatewayError`.
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

/** It is no gateway of ours, or lacks this endpoint. */
const isOther = (error: unknown): boolean =>
  isLacking(error) || (error instanceof GatewayError && error.code === 'not_a_gateway');
