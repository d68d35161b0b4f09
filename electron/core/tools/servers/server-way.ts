import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { mayCarrySecrets } from '#gateway/providers/upstream/dispatch-fetch.ts';
import type { ToolTransport, ToolTransportInput } from '#shared/contract/app/tools.ts';
import { refusal } from '#shared/language/refusals.ts';
import { canonical } from './fingerprint.ts';

/**
 * How a server is started or connected, with everything that decides what it will do. This is what the user consents
 * to.
 */
export interface ServerWay {
  readonly transport: ToolTransport;
  /** Values of the variables or headers that the transport names. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** Returns a text that identifies it exactly. The text contains secret values and is never stored. */
export const getSubject = ({ transport, secrets }: ServerWay): string => canonical({ transport, secrets });

/** Makes the working directory absolute, because a relative one could be a different folder after the next start. */
export const inFullFolder = (transport: ToolTransport): ToolTransport =>
  transport.type === 'stdio' ? { ...transport, folder: resolve(homedir(), transport.folder ?? '') } : transport;

/**
 * Refuses an address to which secrets would be sent unencrypted: header values, or parts of the address. Throws
 * `invalid_input`.
 */
export function refuseInsecure(transport: ToolTransport | ToolTransportInput): void {
  if (transport.type !== 'http') return;
  const url = new URL(transport.url);
  const refuse = (name: 'toolAddressHasName' | 'toolAddressClear') =>
    refusal('invalid_input', name, { details: { param: 'url' } });
  if (url.username || url.password) throw refuse('toolAddressHasName');
  const { headers } = transport;
  const named = Array.isArray(headers) ? headers : Object.keys(headers);
  if ((named.length === 0 && url.search === '') || mayCarrySecrets(url)) return;
  throw refuse('toolAddressClear');
}
