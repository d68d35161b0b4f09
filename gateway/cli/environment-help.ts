import { knownProviders } from '#shared/known-providers.ts';

const getNames = (ownServer: boolean, variable: 'key' | 'baseUrl') =>
  knownProviders
    .filter((provider) => Boolean(provider.ownServer) === ownServer)
    .map(({ env }) => env[variable])
    .join(', ');

/** Environment variables and their meaning, as `--help` shows them. */
export const environment: readonly (readonly [name: string, meaning: string])[] = [
  ['…_API_KEY', `one key for each provider, as many as there are: ${getNames(false, 'key')}`],
  [
    '…_BASE_URL',
    "another address than the provider's own (OPENAI_BASE_URL ends in /v1; ANTHROPIC_BASE_URL and GOOGLE_BASE_URL are origins); with a key https, or http on this machine. A server of one's own is used where its address is given, and its …_API_KEY sent where it wants one: " +
      getNames(true, 'baseUrl'),
  ],
  [
    'PORTICO_KEY_PEPPER',
    'secret behind the API keys and tokens, at least 32 characters; required with PostgreSQL. Several, separated by commas: the first one signs, all of them verify. SQLite keeps one in DB.pepper',
  ],
  [
    'HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY',
    'the proxy by which providers are reached (http, https or socks5, with user and password where it wants them), and the hosts that are reached directly; NODE_EXTRA_CA_CERTS names a file of further authorities',
  ],
  ['PORTICO_PRICES_URL', '"serve" looks there for newer prices, at its start and once a day (default: never)'],
  [
    'PORTICO_PRICES_KEY',
    'public key (Ed25519, PEM or base64) of who signs those prices; needed unless they are on this machine. "prices" in the file comes first',
  ],
  [
    'PORTICO_BYOK_FEE_BPS',
    'asked for answers on a caller\'s own provider key, in basis points of their cost (0 to 10000, default: 0); "byok_fee_bps" in the file comes first',
  ],
  [
    'PORTICO_ON_DISCONNECT_DRAIN',
    'providers, separated by commas, whose answers are read to the end, and billed whole, though the client left (they bill them anyway); "on_disconnect" in the file comes first',
  ],
  [
    'PORTICO_MAY_FETCH',
    'providers, separated by commas, that may fetch images by their address themselves. Only vendors at their own address may otherwise; for the others the gateway fetches, from public hosts. "may_fetch" in the file comes first',
  ],
  ['PORTICO_API_HOST', 'audience of tokens (default: 127.0.0.1); the same for every command'],
  ['PORTICO_TOKEN_ISSUER', 'issuer of tokens (default: portico); the same for every command'],
  ['PORTICO_DB', 'the database, where --db is not given'],
  ['PORTICO_HOSTS', 'names under which the gateway may be addressed besides loopback ones, separated by commas'],
  [
    'PORTICO_CORS_ORIGINS',
    'origins whose pages may call the gateway from a browser (https://app.example.com), separated by commas (default: none)',
  ],
  ['PORTICO_TRUSTED_PROXIES', 'networks of reverse proxies (10.0.0.0/8, ::1)'],
  ['PORTICO_PROXY_HEADER', 'the header they write: x-forwarded-for (default) or forwarded'],
  ['PORTICO_METRICS', 'port, or address and port, of /metrics (default: off)'],
  ['PORTICO_METRICS_TOKEN', 'a token to ask for at /metrics'],
  [
    'PORTICO_ROUTING_DETAIL_DAYS',
    "days after which a request's record forgets the models that the router looked at (1 to 3650, default: never)",
  ],
  [
    'PORTICO_KEPT_REASONING',
    'minutes for which signed reasoning is kept for clients that drop it in a tool loop (0 to 1440, default: 60; 0 keeps none)',
  ],
  ['PORTICO_DRAIN_NOTICE', 'seconds from a signal to the refusal of new requests (default: 0)'],
  ['PORTICO_DRAIN_TIMEOUT', 'seconds from there to the end of running ones (default: 27)'],
];

export const defaultPort = 8788;

export const quickStart: readonly string[] = [
  'ACCOUNT=$(gateway account create --name "My team" | tail -1)',
  'gateway credit grant $ACCOUNT 20',
  'KEY=$(gateway key create $ACCOUNT --label laptop | tail -1)',
  'gateway serve',
  `curl http://127.0.0.1:${defaultPort}/chat -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\`,
  `     -d '{"prompt": "hi", "provider": "sandbox"}'`,
];
