import type { RequestHead } from './exchange.ts';

/** The caller's own id of a request: 1 to 128 visible ASCII characters; any other is as good as none (wire contract §1.0). */
export function clientRequestId(head: Pick<RequestHead, 'header'>): string | null {
  const id = head.header('x-client-request-id');
  return id !== null && isClientRequestId(id) ? id : null;
}

const isClientRequestId = (id: string): boolean => /^[\x21-\x7e]{1,128}$/.test(id);
