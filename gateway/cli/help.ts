import { knownProviders } from '#shared/known-providers.ts';
import { plans } from '../auth/plans.ts';
import { defaultPlan } from '../operator/operator-store.ts';
import { examples } from './cli-examples.ts';

export const defaultPort = 8788;
export const defaultDatabase = './portico-gateway.db';

const usage = [
  'serve [--port N] [--host H] [--db DB] [--config FILE] [--log-requests]',
  'account create --name NAME [--plan PLAN] [--email ADDRESS]',
  'account list',
  'account suspend ACCOUNT',
  'account resume ACCOUNT',
  'credit grant ACCOUNT USD [--description TEXT] [--id ID]',
  'key create ACCOUNT [--label TEXT] [--scope SCOPES] [--limit USD] [--expires DATE]',
  'key list ACCOUNT',
  'key revoke KEY',
  'user create ACCOUNT --name NAME [--email ADDRESS]',
  'user list ACCOUNT',
  'user disable USER',
  'user enable USER',
  'token issue --sub USER [--scope SCOPES] [--ttl TIME]',
  'token revoke ID',
  'token rotate [--at-once]',
  'ledger verify',
  'backup create FILE',
  'backup restore FILE',
  'plan list',
  'prices list [--provider PROVIDER]',
  'providers list',
  'providers discover',
  'prices history MODEL',
  'prices set MODEL --input USD --output USD [--cache-read USD] [--cache-write USD] [--from DATE]',
  'prices unset MODEL [--from DATE]',
  'prices refresh [--url URL]',
  'openapi',
  'postman [--base-url URL]',
];

/** What `--help` says: everything, or only the commands that begin with these words, with an example of each. */
export function helpFor(words: readonly string[]): string {
  const asked = words.join(' ');
  const lines = usage.filter((line) => line === asked || line.startsWith(`${asked} `));
  if (asked === '' || lines.length === 0) return help;
  const shown = lines.flatMap((line) => {
    const name = Object.keys(examples).find((key) => line === key || line.startsWith(`${key} `));
    return [`  gateway ${line}`, ...(name ? (examples[name] ?? []).map((example) => `      ${example}`) : [])];
  });
  return `Usage, with examples\n${shown.join('\n')}\n\nEvery command takes --db DB and --json. "gateway --help" lists all options.\n`;
}

const hostedKeys = knownProviders.filter(({ ownServer }) => !ownServer).map(({ env }) => env.key);
const serverAddresses = knownProviders.filter(({ ownServer }) => ownServer).map(({ env }) => env.baseUrl);

/** Names in lines of four, indented. */
const lines = (names: readonly string[]) =>
  Array.from(
    { length: Math.ceil(names.length / 4) },
    (_, at) => `    ${names.slice(at * 4, at * 4 + 4).join(', ')}`,
  ).join('\n');

const help = `Portico gateway: one API for many AI providers, with accounts, credits and exact books.

Usage
${usage.map((line) => `  gateway ${line}`).join('\n')}

Options
  --db DB          SQLite file or postgres:// URL (default: $PORTICO_DB, else ${defaultDatabase}). One server a file:
                   a second one is refused with exit code 2; PostgreSQL has any number
  --port N         port to serve on, 0 for any free one (default: ${defaultPort})
  --host H         address to bind (default: 127.0.0.1)
  --config FILE    JSON: {"providers": {"openai": {"apiKey": "…", "baseUrl": "…"},
                   "openai-compatible": {"baseUrl": "http://127.0.0.1:11434/v1"}}, "sandbox": true, "hosts": [],
                   "aliases": {"fast-code": "openai/gpt-5.6-sol"}}
  --log-requests   write a line for every request, not only for those that fail
  --plan PLAN      ${plans.map((plan) => plan.id).join(', ')} (default: ${defaultPlan}, which may use every model,
                   the simulated sandbox included, as far as its credits go)
  --id ID          makes a grant happen once, however often the command is repeated
  --sub USER       whom a token speaks for
  --scope SCOPES   what a key or token may reach, separated by commas: chat, models, account (default:
                   chat,models; "account" reads the books, and makes and revokes keys)
  --limit USD      what the key may ever spend
  --expires DATE   the key's last day (UTC), such as 2027-01-31
  --ttl TIME       how long a token lives: 90s, 15m, 24h (default: 15m, at most 24h)
  --at-once        for a leaked key: the next one signs now, and every token of the old one is refused
  --input USD      price per million tokens; likewise --output, --cache-read, --cache-write, --cache-write-1h,
                   --reasoning, --input-audio, and --request per million requests
  --from DATE      first day of a price (UTC), today at the earliest
  --url URL        where a newer price book is (default: $PORTICO_PRICES_URL)
  --base-url URL   address that a Postman collection begins with (default: http://127.0.0.1:${defaultPort})
  --json           print JSON; without it the id or the key is the last line
  --help           this text; behind a command its examples, for example "gateway token --help"

Environment
  One key for each provider, as many as there are:
${lines(hostedKeys)}
  …_BASE_URL           another address than the provider's own (OPENAI_BASE_URL ends in /v1; ANTHROPIC_BASE_URL and
                       GOOGLE_BASE_URL are origins); with a key https, or http on this machine
  A server of one's own is used where its address is given, and its …_API_KEY sent where it wants one:
${lines(serverAddresses)}
  PORTICO_KEY_PEPPER   secret behind the API keys and tokens, at least 32 characters; required with PostgreSQL. Several,
                       separated by commas: the first one signs, all of them verify. SQLite keeps one in DB.pepper.
  PORTICO_PRICES_URL   "serve" looks there for newer prices, at its start and once a day (default: never)
  PORTICO_BYOK_FEE_BPS asked for answers on a caller's own provider key, in basis points of their cost (0 to 10000,
                       default: 0); "byok_fee_bps" in the file comes first
  PORTICO_ON_DISCONNECT_DRAIN   providers, separated by commas, whose answers are read to the end, and billed whole, though
                       the client left (they bill them anyway); "on_disconnect" in the file comes first
  PORTICO_MAY_FETCH    providers, separated by commas, that may fetch images by their address themselves. Only vendors at their
                       own address may otherwise; for the others the gateway fetches, from public hosts. "may_fetch" in the
                       file comes first
  PORTICO_API_HOST, PORTICO_TOKEN_ISSUER   audience and issuer of tokens (127.0.0.1, portico); the same for every command
  PORTICO_DB              the database, where --db is not given
  PORTICO_HOSTS           names under which the gateway may be addressed besides loopback ones, separated by commas
  PORTICO_TRUSTED_PROXIES, PORTICO_PROXY_HEADER   networks of reverse proxies (10.0.0.0/8, ::1), and the header they write:
                          x-forwarded-for (default) or forwarded
  PORTICO_METRICS, PORTICO_METRICS_TOKEN   port, or address and port, of /metrics (default: off), and a token to ask for
  PORTICO_ROUTING_DETAIL_DAYS   days after which a request's record forgets the models that the router looked at
                          (1 to 3650, default: never)
  PORTICO_DRAIN_NOTICE, PORTICO_DRAIN_TIMEOUT   seconds from a signal to the refusal of new requests (0), and from there to
                          the end of running ones (27)

Examples
  ACCOUNT=$(gateway account create --name "My team" | tail -1)
  gateway credit grant $ACCOUNT 20
  KEY=$(gateway key create $ACCOUNT --label laptop | tail -1)
  gateway serve
  curl http://127.0.0.1:${defaultPort}/chat -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
       -d '{"prompt": "hi", "provider": "sandbox"}'
`;
