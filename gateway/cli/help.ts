import { defaultPlan } from '../operator-store.ts';
import { plans } from '../plans.ts';

export const defaultPort = 8788;
export const defaultDatabase = './portico-gateway.db';

export const help = `Portico gateway: one API for many AI providers, with accounts, credits and exact books.

Usage
  gateway serve [--port N] [--host H] [--db DB] [--config FILE] [--log-requests]
  gateway account create --name NAME [--plan PLAN] [--email ADDRESS]
  gateway account list
  gateway credit grant ACCOUNT USD [--description TEXT] [--id ID]
  gateway key create ACCOUNT [--label TEXT]
  gateway key list ACCOUNT
  gateway key revoke KEY

Options
  --db DB          SQLite file or postgres:// URL (default: $PORTICO_DB, else ${defaultDatabase})
  --port N         port to serve on, 0 for any free one (default: ${defaultPort})
  --host H         address to bind (default: 127.0.0.1)
  --config FILE    JSON: {"providers": {"openai": {"apiKey": "…", "baseUrl": "…"},
                   "openai-compatible": {"baseUrl": "http://127.0.0.1:11434/v1"}}, "sandbox": true, "hosts": []}
  --log-requests   write a line for every request, not only for those that fail
  --plan PLAN      ${plans.map((plan) => plan.id).join(', ')} (default: ${defaultPlan}, which may use every model,
                   the simulated sandbox included, as far as its credits go)
  --id ID          makes a grant happen once, however often the command is repeated
  --json           print JSON; without it the id or the key is the last line
  --help           this text

Environment
  OPENAI_API_KEY, ANTHROPIC_API_KEY, GOOGLE_API_KEY      provider keys
  OPENAI_BASE_URL (ends in /v1), ANTHROPIC_BASE_URL, GOOGLE_BASE_URL (origins)
  PORTICO_KEY_PEPPER   secret behind the API keys, at least 32 characters; required with PostgreSQL. Several, separated
                       by commas: the first one signs, all of them verify. SQLite keeps one in DB.pepper by itself.

Examples
  ACCOUNT=$(gateway account create --name "My team" | tail -1)
  gateway credit grant $ACCOUNT 20
  KEY=$(gateway key create $ACCOUNT --label laptop | tail -1)
  gateway serve
  curl http://127.0.0.1:${defaultPort}/chat -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
       -d '{"prompt": "hi", "provider": "sandbox"}'
`;
