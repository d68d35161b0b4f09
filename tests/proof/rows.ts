/** A row of the number table: what must hold, and the tests that show it. */
export interface Row {
  readonly goal: string;
  /** Paths of test files from the project's root. With words after a `#`, only the tests whose names contain them. */
  readonly tests: readonly string[];
  /** The part of the goal that these tests don't show, and why. A row with such a part never holds completely. */
  readonly open?: string;
  /** What the long form tests in addition. Without it both forms are the same. */
  readonly long?: string;
}

export type RowName = keyof typeof rows;

/** The numbers that must hold. `npm run proof` runs their tests and writes `docs/proof.md`. */
export const rows = {
  'fuzz: IPC and WebSocket': {
    goal: '20,000 messages: no crash, no unhandled rejection, no state changed by what is invalid',
    tests: ['tests/contract/hostile-messages.test.ts', 'tests/contract/invalid-input.test.ts'],
    long: '20,000 messages over each instead of 4,000',
  },
  'fuzz: HTTP': {
    goal: '50,000 requests over all routes: no exit, no 5xx, every answer as its schema says, the ledger exact',
    tests: ['tests/fault/hostile-requests.test.ts'],
    long: '50,000 requests instead of 2,000',
  },
  'fuzz: event streams': {
    goal: '20,000 streams cut at any byte: no event lost, doubled or changed',
    tests: ['gateway/providers/upstream/event-splitter.test.ts', 'gateway/engine/split-events.test.ts'],
    long: '200,000 streams instead of 20,000',
  },
  'hostile texts': {
    goal: 'at least 1,500 texts in at least 10 sinks: nothing runs, nothing is asked of or connects to a canary server',
    tests: [
      'renderer/markdown/hostile.test.tsx',
      'renderer/app/hostile-names.test.tsx',
      'electron/core/runtime/markup/render-markdown.test.ts#hostile',
      'electron/core/transfer/conversation-html.test.ts',
      'tests/hosts/hostile-exports.test.ts',
    ],
  },
  'fence of the page': {
    goal: 'at least 35 ways out by what stands in a page: none but a bare connection gets through its policy',
    tests: ['tests/hosts/web.test.ts#ways out', 'tests/hosts/web.test.ts#cannot reach', 'tests/hosts/electron.test.ts'],
  },
  'Markdown bombs': {
    goal: 'no text stops the window: parsed away from it and given up in time, no task over 50 ms, never a blank window',
    tests: [
      'renderer/markdown/parser/blocks.test.ts',
      'renderer/markdown/parser/slices.test.ts',
      'renderer/markdown/parser/document-parser.test.ts',
      'renderer/long-text/oversized-text.test.tsx',
    ],
    open: 'The longest task is a measurement, not a test: `npm run bench -- --only bombs`.',
  },
  'ordinary texts in ten scripts': {
    goal: 'an answer below 20,000 characters is drawn and copied with exactly the blocks of its Markdown, while it is written and when it is whole',
    tests: ['renderer/markdown/parser/ordinary-blocks.test.ts', 'renderer/markdown/ordinary-answers.test.tsx'],
  },
  secrets: {
    goal: 'no canary key in more than 12 spellings, in answers, logs, books, files, arguments, reports and the heap of the window',
    tests: ['tests/fault/canary-key.test.ts', 'tests/e2e/keychain.spec.ts#survives a restart'],
  },
  keychain: {
    goal: 'none, locked, unlocked, hung: no key in a plain file, nothing hangs',
    tests: ['tests/e2e/keychain.spec.ts', 'tests/e2e/keychain.electron.ts'],
  },
  authorization: {
    goal: 'every route has a policy; at least 5 roles on all routes by all carriers without a deviation; no object of another account',
    tests: ['gateway/access/auth/authorization-matrix.test.ts', 'gateway/http/app.test.ts'],
  },
  tokens: {
    goal: 'at least 60 forged tokens and 10,000 changed ones: none accepted',
    tests: ['gateway/access/auth/verify-token.test.ts'],
    long: '10,000 changed tokens instead of 1,500',
  },
  'exact ledger': {
    goal: '10,000 debits at once: the balance exact, never negative, on both engines',
    tests: ['tests/fault/concurrent-debits.test.ts'],
    long: '10,000 debits instead of 300',
  },
  'charge within the hold': {
    goal: 'random usage within what an upstream was allowed is never charged beyond its hold; no balance and no limit is passed, on both engines',
    tests: ['gateway/engine/billing/holds.test.ts'],
  },
  'prices from elsewhere': {
    goal: 'a newer price book is believed by its signature alone; none changes a bill by more than its bounds or makes it free, whatever is in its rows',
    tests: [
      'gateway/operations/prices/random-price-changes.test.ts',
      'gateway/operations/prices/newer-prices.test.ts',
      'gateway/operations/prices/signed-prices.test.ts',
    ],
  },
  'ledger on paper': {
    goal: '2,000 random programs of 60 steps agree with a model',
    tests: ['tests/fault/random-programs.test.ts', 'gateway/ledger/byok-fee.test.ts'],
    long: '2,000 programs on each engine instead of 60 and 6',
  },
  'origin of errors': {
    goal: 'free is only what the upstream failed before the caller got anything, by every end and way in; no account closes a model to others',
    tests: [
      'gateway/engine/error-origin.test.ts',
      'gateway/engine/routing/health.test.ts',
      'gateway/engine/billing-table.test.ts',
    ],
  },
  'foreign backups': {
    goal: 'a database that somebody else made reads no file, deletes none, runs nothing, and brings neither proxy nor certificate',
    tests: ['electron/core/backup/foreign-backups.test.ts'],
  },
  'bodies without end': {
    goal: 'no body, event or tool call of a server elsewhere takes the memory of the core; ordinary ones of any size come whole',
    tests: ['electron/core/app/network/bounded-fetch.test.ts', 'electron/core/chat/read-calls.test.ts'],
  },
  'lost acknowledgements': {
    goal: '200 commits whose acknowledgement is lost have exactly 200 effects',
    tests: ['tests/fault/lost-acknowledgements.test.ts'],
    long: '200 losses on the way instead of 24, and 200 of the ledger itself instead of 50',
  },
  'crashes of PostgreSQL': {
    goal: '100 crashes under load: nothing acknowledged is lost, nothing charged twice, no gateway ends',
    tests: ['tests/fault/crashes.test.ts#PostgreSQL itself'],
    long: '100 crashes instead of 3',
  },
  'killed gateways': {
    goal: 'kill -9, 100 times, one process and three: every hold ends, the ledger is exact',
    tests: ['tests/fault/crashes.test.ts#killed', 'gateway/cli/serve.test.ts#kill -9'],
    long: '100 kills of each kind instead of 3',
  },
  'killed app': {
    goal: 'kill -9, 100 times: nothing acknowledged is lost',
    tests: [
      'tests/fault/kill-at-any-moment.test.ts',
      'tests/fault/kill-before-the-answer.test.ts',
      'tests/fault/kill-while-calling.test.ts',
      'tests/fault/kill-while-streaming.test.ts',
    ],
    long: '100 kills instead of 3',
  },
  'power loss': {
    goal: 'at least 50 power cuts, ledger and chats: nothing acknowledged is lost, and a control without our sync loses',
    tests: ['tests/fault/power-loss.test.ts', 'tests/fault/power-loss-desktop.test.ts'],
    long: '400 cuts of the ledger instead of 50',
  },
  streams: {
    goal: '200 streams of 1,000 words at once: none lost, doubled or moved, at most 300 MB',
    tests: ['tests/fault/many-streams.test.ts'],
    long: '200 streams of 1,000 words instead of 100 of 300',
  },
  'stalled clients': {
    goal: '20 clients that read nothing: at most 300 MB together',
    tests: ['tests/fault/stalled-clients.test.ts'],
  },
  'stalled reader': {
    goal: 'charged for what was produced, the model as healthy as before, other accounts unaffected',
    tests: ['gateway/engine/stalled-reader.test.ts'],
  },
  disconnects: {
    goal: '1,000 clients that leave: each stops its provider and pays what had come, descriptors come back to their level',
    tests: [
      'tests/fault/leaving-clients.test.ts',
      'gateway/engine/disconnect.test.ts',
      'gateway/engine/drain-after-disconnect.test.ts',
      'gateway/engine/engine.test.ts#before the first byte',
    ],
    long: '1,000 leavers instead of 200',
  },
  'slow requests': {
    goal: 'heads and bodies that trickle are refused in time, and hung up on',
    tests: [
      'gateway/http/client-error.test.ts',
      'gateway/access/overload/upload-pace.test.ts',
      'gateway/engine/thinking-time.test.ts',
    ],
  },
  'event loop': {
    goal: 'no request, however it is built, holds the loop: at most half of what reading 6.5 MB of small objects takes',
    tests: ['tests/fault/large-bodies.test.ts'],
  },
  'broken upstreams': {
    goal: 'every fault of a provider’s server, of three vendors, by every way in: one answer or one error, ledger exact, nothing left open',
    tests: ['tests/fault/broken-upstreams.test.ts'],
  },
  consent: {
    goal: 'no process starts and no foreign address is reached before a person’s yes outside of the page',
    tests: ['electron/core/tools/servers/consent.test.ts', 'electron/core/tools/servers/forged-consent.test.ts'],
  },
  'revoked trees': {
    goal: 'what a revoked key or token has made is refused within two seconds',
    tests: ['gateway/access/keys/key-tree.test.ts', 'gateway/operations/cluster/cluster.postgres.test.ts#revoked'],
  },
  'numbers of upstreams': {
    goal: 'counts that cannot be are clamped to the hold and marked; no overflow, no open hold',
    tests: ['gateway/engine/hostile-usage.test.ts'],
  },
  limits: {
    goal: 'each size is taken at its limit and refused one above',
    tests: [
      'gateway/runtime/body/large-bodies.test.ts',
      'gateway/http/read-body.test.ts',
      'gateway/http/app.test.ts',
      'gateway/runtime/json/json-outline.test.ts',
    ],
  },
  'rate limits': {
    goal: 'over three instances never more than the limit',
    tests: [
      'gateway/access/limits/limit-blocks.postgres.test.ts',
      'gateway/operations/cluster/cluster.postgres.test.ts#limits',
    ],
  },
  fallback: {
    goal: 'at most two further attempts, none after the first byte; under load at most 1.1 calls a request',
    tests: ['gateway/engine/engine-fallback.test.ts'],
  },
  drain: {
    goal: 'SIGTERM ends with exit code 0, no answer is broken, no hold is open',
    tests: [
      'gateway/cli/serve.test.ts#SIGTERM',
      'tests/fault/crashes.test.ts#SIGTERM',
      'tests/operations/npm-serve.test.ts',
      'tests/operations/restarts.postgres.test.ts',
    ],
  },
  'addresses inside': {
    goal: 'at least 44 spellings and names that change: nothing connects to an address that is not public, as the kernel counts',
    tests: [
      'gateway/providers/upstream/address-class.test.ts',
      'gateway/providers/remote-files.test.ts',
      'electron/core/tools/built-in/fetch-page.test.ts',
      'tests/fault/inside-addresses.test.ts',
    ],
  },
  'supply chain': {
    goal: 'install scripts by an allow list, every platform’s binaries in the lock file, exact versions, known licences, an audit of what ships',
    tests: ['tests/lock-file.test.ts', 'tests/hosts/supply-chain.test.ts'],
  },
  'dangerous sinks': {
    goal: 'HTML, programs, processes, links of the system, pages and connections are made by one wrapper each',
    tests: ['tests/dangerous-sinks.test.ts', 'tests/layers.test.ts'],
  },
  'guards removed': {
    goal: 'each guard, found in the sources and taken away, turns a test red',
    tests: ['tests/proof/removed-guards.test.ts'],
    long: 'all guards instead of six by chance',
  },
  'clocks that jump': {
    goal: 'an hour to five years, forward and back, under load, on both engines: nothing is lost, refused or charged twice',
    tests: ['tests/fault/clock-jumps.test.ts'],
  },
  'full disk': {
    goal: 'without a free byte, under load and killed: 503, nothing acknowledged is lost, nothing charged for what was refused, and it goes on',
    tests: ['tests/fault/full-disk.test.ts'],
  },
  'random use': {
    goal: 'people who do anything anywhere, narrow and wide: no error, no empty page, nothing wider than the window, and chats and ledger agree',
    tests: ['tests/e2e/random-use.web.ts'],
    long: 'only there',
  },
  soak: {
    goal: 'two hours under mixed load: memory and descriptors stay level, the ledger exact',
    tests: ['tests/fault/soak.test.ts'],
    long: 'only there',
  },
} as const satisfies Readonly<Record<string, Row>>;
