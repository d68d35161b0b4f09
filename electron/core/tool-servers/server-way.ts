import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { mayCarrySecrets } from '#gateway/upstream/dispatch-fetch.ts';
import type { ToolTransport, ToolTransportInput } from '#shared/contract/app/tools.ts';
import { refusal } from '#shared/language/refusals.ts';
import { canonical } from './fingerprint.ts';

/** How a server is started or reached, with everything that decides what that does: what is agreed to is this, and all of it. */
export interface ServerWay {
  readonly transport: ToolTransport;
  /** The values of the variables or headers that the transport names. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** The same way has the same text, and no other has it. It holds the secret values: it is never kept. */
export const subjectOf = ({ transport, secrets }: ServerWay): string => canonical({ transport, secrets });

/** A program's folder in full: a relative one would mean another place after the next start of the app. */
export const inFullFolder = (transport: ToolTransport): ToolTransport =>
  transport.type === 'stdio' ? { ...transport, folder: resolve(homedir(), transport.folder ?? '') } : transport;

/** Refuses an address to which secrets would go in the clear: a header's value, or what stands in the address itself. Throws `invalid_input`. */
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
