/**
 * The pages of the tour. They contain Markdown with code, tables and lists, so that a new user sees how answers are
 * displayed.
 */

const greeting = `Hello! I am the **Sandbox Tour**, a model that is built into Portico. I need no key and no network, and what I cost is paid in test credits.

Ask me about one of these:

- **keys**: where they are kept, and who can read them
- **prices**: what models cost, and how a bill is made
- **the ledger**: what it did cost, to the last nano-dollar
- **the router**: which model is picked for you, and why
- **shortcuts**: doing all of it from the keyboard
- **the gateway**: using it from \`curl\` or any OpenAI client

Or say “tour” and I will show you around.`;

const keys = `## Your keys

A provider key goes **in** and never comes out again: the main process hands it to the operating system's keychain, and the window you are looking at only ever sees its first and last characters.

| System | Where the key is kept |
|---|---|
| macOS | Keychain |
| Windows | Credential Manager |
| Linux | Secret Service |
| no keychain | memory, for this session only, and Portico says so |

To add one:

1. Open **Settings → Providers & keys**.
2. Press **Add key** beside its provider and paste it. It is checked by a free call.
3. That provider's models appear in the model picker at once.

A key is never written to a file or a log. A single request can also bring its own key; it is used once, charged nothing here, and forgotten:

\`\`\`json
{ "provider": "openai", "prompt": "Hello", "byoapi_key": "…" }
\`\`\``;

const prices = `## Prices

Every model's price stands in the model picker and on the **Models** page, in dollars per million tokens.

The bill is a sum over classes of tokens, in whole pico-dollars, rounded up once:

\`\`\`text
cost = input × input price
     + cached input × cache price
     + output × output price        (reasoning is output)
\`\`\`

| | per 1M tokens | 1,000 tokens |
|---|--:|--:|
| Input of this model | $0.60 | $0.0006 |
| Output of this model | $2.40 | $0.0024 |

- Prices in the catalogue carry the **day from which they hold** and their source.
- A model whose price is not known shows *unknown*, never $0.
- Open **Models** to search, filter and sort by price; a row opens all the prices of its model.`;

const ledger = `## The ledger

Before a request leaves, its largest possible cost is **held**. When the answer ends, the true cost is **settled** and the rest of the hold is released: exactly once, also after a crash.

\`\`\`text
hold     0.019674   reserved
settle  -0.000312   booked
release  0.019362   free again
\`\`\`

What is charged when something goes wrong:

| What happened | Charged |
|---|---|
| The answer finished | what the provider counted |
| You pressed Stop | what was written until then |
| You pressed Stop before the first word | nothing |
| The provider failed | nothing |
| A request brought its own key | nothing |

1. Lines are only ever added, never changed.
2. Their sum **is** the balance.
3. Every answer has its own line under **Credits**, with the balance after it.`;

const router = `## The router

Choose **Auto** (in the API: \`provider: "router"\`) and Portico picks the model. It does not roll dice: the same request in the same situation gets the same model.

1. **Filter.** Models that cannot do it are out: no key, no vision, too small a context, over your price limit.
2. **Floor.** A hard question sets a minimum quality.
3. **Score.** Quality, price and speed, weighted by the policy.
4. **Chain.** If the best one fails before its first word, the next one, from another provider, takes over.

| Policy | What counts most |
|---|---|
| \`balanced\` | price for simple questions, quality for hard ones |
| \`cheapest\` | price |
| \`fastest\` | time to the answer |
| \`best\` | quality |

\`\`\`json
{ "provider": "router", "prompt": "Hello", "route": { "policy": "cheapest", "max_cost_usd": "0.01" } }
\`\`\`

Every answer says which model it was and why. The router leaves me alone as soon as you have a real provider.`;

const shortcuts = `## Keyboard

| Keys | What they do |
|---|---|
| Ctrl/⌘ K | everything: the command palette |
| Ctrl/⌘ N | new chat |
| Ctrl/⌘ Shift M | choose a model |
| Ctrl/⌘ \\ | show or hide the sidebar |
| Ctrl/⌘ L | to the message box |
| Enter, Shift Enter | send, new line |
| Esc | stop the answer |
| Ctrl/⌘ , | settings |
| F6 | to the next part of the window |
| Ctrl/⌘ / | all shortcuts |

- In a browser some of these belong to the browser; the palette reaches everything.

\`\`\`text
Ctrl+K  →  "usage"  →  Enter
\`\`\`

That is the fastest way to anywhere.`;

const gateway = `## The gateway

The app talks to a gateway that also serves your scripts and editors. Its address is under **Settings → Gateway**. With a key made by \`npm run gateway -- key create\` any OpenAI client works:

\`\`\`bash
curl "$PORTICO_URL/v1/chat/completions" \\
  -H "Authorization: Bearer $PORTICO_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"model":"router","messages":[{"role":"user","content":"Hello"}],"stream":true}'
\`\`\`

There is a shorter form as well:

\`\`\`bash
curl "$PORTICO_URL/chat" -H "Authorization: Bearer $PORTICO_KEY" \\
  -H "Content-Type: application/json" -d '{"prompt":"Hello"}'
\`\`\`

| Path | What it answers |
|---|---|
| \`POST /v1/chat/completions\` | OpenAI's chat, for existing clients |
| \`POST /chat\` | one prompt, one text |
| \`GET /models\` | models, abilities and prices |
| \`GET /credits\` | balance and transactions |
| \`GET /v1/usage\` | this period, by model, day or key |

- It listens on \`127.0.0.1\` only.
- Every answer carries its cost as \`cost_usd\`.`;

const sandbox = `## The sandbox

I am one of six models that are built in. They need no network, always answer the same question in the same way, and cost **test credits**.

| Model | What it is for |
|---|---|
| \`sandbox/tour\` | me: questions about Portico |
| \`sandbox/echo\` | repeats your message exactly |
| \`sandbox/slow\` | ten tokens a second: try Stop |
| \`sandbox/flaky\` | fails on purpose: try Retry |
| \`sandbox/tools\` | calls a tool, where a client offers one |
| \`sandbox/reasoner\` | thinks aloud first |

\`\`\`json
{ "model": "sandbox/echo", "prompt": "one two three" }
\`\`\`

- Nothing that a sandbox model says comes from a real AI.
- Once you have added a real key, the router never picks one of us.`;

const privacy = `## Where things are

- **Chats, settings and usage** are in one SQLite file on this computer.
- **Keys** are in the operating system's keychain.
- **The ledger** counts tokens and money and keeps no word of what was said.
- What you send to a model goes to that model's provider, and nowhere else.

| | leaves this computer? |
|---|---|
| A message to a provider's model | yes, to that provider |
| A message to me | no |
| Usage statistics | no |

\`\`\`text
your window  →  main process  →  gateway  →  the provider you chose
\`\`\`

A chat can be deleted from its menu; what was billed stays in the ledger.`;

const general = `## Welcome to Portico

Portico is one window onto every model, and its numbers are true: every answer says what it cost, to the last digit, and the ledger agrees.

### Three things to try

1. **Ask the same thing twice.** Press Regenerate and compare text, time and cost.
2. **Stop me.** Press Esc while I write; what I had written stays, and only that is charged.
3. **Look at the bill.** Under this answer are its tokens and its cost; **Credits** has the line that booked it.

### What is where

| Place | What you do there |
|---|---|
| Chat | ask, stop, ask again |
| Models | find a model by price and ability |
| Usage | see tokens and spend by day and model |
| Credits | balance and every transaction |
| Settings | keys, gateway, appearance |

### What I am

I am no AI: a small program that recognises words. To talk to a real model, add a key under **Settings → Providers & keys**, or point Portico at a local server such as Ollama:

\`\`\`text
Base URL   http://127.0.0.1:11434/v1
API key    (none)
\`\`\`

Then choose **Auto** and let the router pick. Ask me about *keys*, *prices*, *the ledger*, *the router*, *shortcuts* or *the gateway* for more.`;

export const tourPages = { greeting, keys, prices, ledger, router, shortcuts, gateway, sandbox, privacy, general };
