/** Why an address couldn't be reached, if the cause can be recognised and somebody can do something about it. */
export type UnreachableReason =
  | 'proxy_auth'
  | 'proxy_refused'
  | 'untrusted'
  | 'name_unknown'
  | 'refused'
  | 'timeout'
  | 'network_down';

const untrusted = new Set([
  ...['SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ...[
    'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'CERT_HAS_EXPIRED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ],
]);
const byCode: Readonly<Record<string, UnreachableReason>> = {
  ENOTFOUND: 'name_unknown',
  EAI_AGAIN: 'name_unknown',
  ECONNREFUSED: 'refused',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  ENETUNREACH: 'network_down',
  EHOSTUNREACH: 'network_down',
};

/** Searches an error and its causes for one of these reasons; null if there is none. */
export function unreachableReason(error: unknown): UnreachableReason | null {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = getNext(cause), depth += 1) {
    const code = 'code' in cause ? String(cause.code) : '';
    if (untrusted.has(code)) return 'untrusted';
    // undici has no error codes for a proxy's answers, so its messages are matched.
    if (/\b407\b.*HTTP Tunneling|Proxy Authentication Required|Authentication failed/i.test(cause.message))
      return 'proxy_auth';
    if (/Proxy response \(\d+\)|SOCKS5/i.test(cause.message)) return 'proxy_refused';
    const known = byCode[code];
    if (known) return known;
  }
  return null;
}

const getNext = (error: Error): unknown => (error instanceof AggregateError ? error.errors[0] : error.cause);

/** The text of each reason, after "<provider> could not be reached:". */
export const unreachableWords: Readonly<Record<UnreachableReason, string>> = {
  proxy_auth: 'the proxy wants another user name and password',
  proxy_refused: 'the proxy refused to connect to it',
  untrusted: 'its certificate is not trusted here. If a firewall reads along, its authority has to be trusted first',
  name_unknown: 'its name is not known to this network',
  refused: 'nothing answers at its address',
  timeout: 'the connection was not made in time',
  network_down: 'there is no network to it',
};
