import type { ReportedAccount } from '#shared/client/reported.ts';
import type { ApiKeyEntry } from '#shared/contract/app/api-keys.ts';
import type { AppInfo } from '#shared/contract/app/app.ts';
import type { Backup } from '#shared/contract/app/backup.ts';
import type { BillingAccountBalance } from '#shared/contract/app/billing-accounts.ts';
import type { Budget, Outlook } from '#shared/contract/app/funds.ts';
import type { GatewayConnection } from '#shared/contract/app/gateway.ts';
import type { GatewayAccount } from '#shared/contract/app/gateway-accounts.ts';
import type { LocalServer, Provider } from '#shared/contract/app/providers.ts';
import type { Settings } from '#shared/contract/app/settings.ts';
import type { ToolDecision } from '#shared/contract/chat/chat.ts';
import type { Conversation, Message, ScrollPosition } from '#shared/contract/chat/conversations.ts';
import type { RoutingAnswer } from '#shared/contract/chat/routing.ts';
import type { BillingAccount } from '#shared/contract/common/fields.ts';
import type { Model } from '#shared/wire/model.ts';
import { fakeAnswer } from './fake-answer.ts';
import { fakeModels } from './fake-models.ts';
import { fakeRouting } from './fake-routing.ts';
import { type FakeTools, fakeToolsData } from './fake-tools.ts';

/** A picture of one pixel. */
export const fakePicture = {
  mediaType: 'image/png',
  width: 1,
  height: 1,
  base64: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
};

export interface FakeData {
  routing: RoutingAnswer;
  app: AppInfo;
  settings: Settings;
  models: Model[];
  modelsProblem: string | null;
  /** The age in days of every price, or null if no price is old. */
  staleDays: number | null;
  conversations: Conversation[];
  messages: Message[];
  folders: { id: string; name: string }[];
  backups: Backup[];
  /** Where the reader stopped in each conversation. */
  scrollPositions: Record<string, ScrollPosition | null>;
  /** Unsent edits by message id. */
  edits: Map<string, string>;
  /** Expanded parts by conversation. */
  expanded: Record<string, string[]>;
  lastOpened: string | null;
  billingAccounts: BillingAccountBalance[];
  account: Record<BillingAccount, ReportedAccount>;
  /** The number of ledger entries. With none, there is no usage either. */
  ledgerLines: number;
  /** Requests of unknown cost, for each day and model. */
  unknownCosts: number;
  providers: Provider[];
  localServers: LocalServer[];
  gateway: GatewayConnection;
  gatewayAccounts: { accounts: GatewayAccount[]; active: string | null };
  apiKeys: ApiKeyEntry[];
  outlook: Record<BillingAccount, Outlook>;
  budget: Budget;
  tools: FakeTools;
  /** The decisions that were made on waiting tool calls. */
  decisions: { messageId: string; call: number; decision: ToolDecision }[];
  /** Links that were opened. */
  opened: string[];
}

export const fakeMessage = (change: Partial<Message>): Message => ({
  id: 'm',
  conversationId: 'c',
  parentId: null,
  role: 'user',
  text: '',
  attachments: [],
  reasoning: '',
  status: 'done',
  model: null,
  servedProvider: null,
  servedModel: null,
  modelName: null,
  simulated: false,
  finishReason: null,
  usage: null,
  costUsd: null,
  costSource: 'unknown',
  bill: null,
  routeReason: null,
  requestId: null,
  error: null,
  toolCalls: [],
  createdAt: Date.now(),
  firstTokenAt: null,
  thoughtMs: null,
  finishedAt: null,
  sibling: { index: 1, count: 1 },
  continues: false,
  comparison: null,
  comparing: null,
  ...change,
});

const balance = (amount: string, used: string): BillingAccountBalance['balance'] => ({
  currency: 'USD',
  amount,
  held: '0',
  available: amount,
  total_granted: '10',
  total_used: used,
});

const account = (id: string, name: string, billing: 'prepaid' | 'meter_only'): ReportedAccount => ({
  object: 'account',
  id,
  name,
  email: null,
  created: 1_790_000_000,
  status: 'active',
  plan: {
    id: 'local',
    name: 'Local',
    renews_at: null,
    features: ['chat', 'router', 'usage_api'],
    limits: {
      requests_per_minute: 600,
      tokens_per_minute: null,
      concurrent_requests: 8,
      requests_per_day: null,
      monthly_spend_usd: null,
      max_output_tokens: 32_000,
      models: ['*'],
    },
    billing,
  },
  balance: balance(billing === 'prepaid' ? '10' : '0', '0'),
  usage: {
    period: { type: 'month', start: 1_793_491_200, end: 1_796_083_200 },
    requests: 412,
    prompt_tokens: 812_000,
    completion_tokens: 94_000,
    total_tokens: 906_000,
    cost_usd: '3.2180415',
    unknown_cost_requests: 0,
  },
  credential: {
    type: 'api_key',
    id: 'key_1',
    label: 'This computer',
    prefix: 'sk-portico-',
    scopes: ['chat', 'models', 'account'],
  },
});

const provider = (
  id: Provider['id'],
  name: string,
  keyPage: string | null,
  change: Partial<Provider> = {},
): Provider => ({
  id,
  name,
  keyPage,
  ownServer: keyPage === null,
  baseUrl: null,
  state: 'not_set',
  keyHint: null,
  storage: null,
  problem: null,
  checkedAt: null,
  movedFrom: null,
  keys: [],
  server: null,
  ...change,
});

export const unplaced = {
  folderId: null,
  tags: [],
  pinned: false,
  archived: false,
  trashedAt: null,
  unread: false,
  temporary: false,
};

const hour = 3_600_000;
const titles: [string, number][] = [
  ['Streaming rate limiter across gateway nodes', 0.2],
  ['Explain WAL checkpoints in SQLite', 1],
  ['Refactor usage export to CSV', 2],
  ['OKLCH ramps with equal contrast steps', 26],
  ['Kyoto in four days, slow pace', 30],
  ['Compare Postgres and ClickHouse for events', 74],
  ['Regex for semver ranges', 96],
  ['Why is my Electron window white on start', 110],
  ['Meter readings spreadsheet formula', 24 * 40],
];

/** Typical data: a conversation with an answer, a history, a key that works and a key that was refused. */
export function fakeData(): FakeData {
  const now = Date.now();
  const conversations = titles.map(([title, hours], index) => ({
    id: `c${index}`,
    title,
    model: 'anthropic/claude-opus-5',
    createdAt: now - hours * hour,
    updatedAt: now - hours * hour,
    live: false,
    waiting: false,
    ...unplaced,
  }));
  return {
    app: {
      version: '0.1.0',
      platform: 'linux',
      host: 'browser',
      dataFolder: '~/.local/share/portico',
      capabilities: {
        ownTitleBar: false,
        tray: false,
        saveDialog: true,
        appMenu: false,
        zoom: false,
        spellCheck: false,
        notifications: false,
        updates: false,
        quickWindow: false,
        windows: false,
      },
      keychain: { state: 'available', backend: 'Secret Service', problem: null },
      notices: [],
      problem: null,
    },
    settings: {
      theme: 'system',
      language: 'en',
      density: 'comfortable',
      sendWith: 'enter',
      spellCheck: true,
      keepRunning: false,
      checkUpdates: true,
      notifications: 'plain',
      model: 'anthropic/claude-opus-5',
      shownWallet: null,
      welcomed: true,
      confirmRoute: false,
      shortcuts: {},
      favouriteModels: [],
      recentModels: [],
      recentActions: [],
    },
    models: [...fakeModels],
    modelsProblem: null,
    staleDays: null,
    conversations,
    folders: [],
    backups: [
      {
        name: 'auto-2026-11-20T08-00-00-000Z.db',
        kind: 'auto',
        createdAt: Date.UTC(2026, 10, 20, 8),
        bytes: 4_200_000,
      },
    ],
    messages: [
      fakeMessage({
        id: 'u0',
        conversationId: 'c0',
        text: 'How would you build a rate limiter that several gateway nodes share? Show the core of it in TypeScript.',
        createdAt: now - 0.25 * hour,
      }),
      fakeMessage({
        id: 'a0',
        conversationId: 'c0',
        parentId: 'u0',
        role: 'assistant',
        text: fakeAnswer,
        reasoning:
          'The user wants a design that survives several nodes. A fixed window is the simplest thing that fails at its edges.',
        model: 'router',
        servedProvider: 'anthropic',
        servedModel: 'claude-opus-5',
        modelName: 'Claude Opus 5',
        finishReason: 'stop',
        usage: { promptTokens: 31, completionTokens: 412, cachedTokens: 0, reasoningTokens: 84 },
        costUsd: '0.010455',
        costSource: 'byok',
        routeReason: 'Best quality under your price cap',
        requestId: 'req_01JDX',
        toolCalls: [{ id: 't1', name: 'search_docs', arguments: '{"query":"sliding window counter"}' }],
        createdAt: now - 0.25 * hour,
        firstTokenAt: now - 0.25 * hour + 900,
        finishedAt: now - 0.25 * hour + 5200,
        sibling: { index: 2, count: 2 },
      }),
    ],
    scrollPositions: {},
    edits: new Map(),
    expanded: {},
    lastOpened: null,
    routing: fakeRouting,
    billingAccounts: [
      {
        id: 'main',
        name: 'Your keys',
        simulated: false,
        used: true,
        billing: 'meter_only',
        balance: balance('0', '3.2180415'),
        unknown: 0,
      },
      {
        id: 'sandbox',
        name: 'Test credits',
        simulated: true,
        used: true,
        billing: 'prepaid',
        balance: balance('10', '0'),
        unknown: 0,
      },
    ],
    account: {
      main: account('acct_main', 'This computer', 'meter_only'),
      sandbox: account('acct_sandbox', 'Sandbox', 'prepaid'),
    },
    ledgerLines: 120,
    unknownCosts: 0,
    providers: [
      provider('openai', 'OpenAI', 'https://platform.openai.com/api-keys', {
        state: 'refused',
        keyHint: 'sk-…1xZz',
        storage: 'keychain',
        problem: { message: 'Incorrect API key provided.' },
        checkedAt: now - hour,
      }),
      provider('anthropic', 'Anthropic', 'https://console.anthropic.com/settings/keys', {
        state: 'works',
        keyHint: 'sk-ant-…9fQ2',
        storage: 'keychain',
        checkedAt: now - 2 * hour,
      }),
      provider('google', 'Google', 'https://aistudio.google.com/apikey'),
      provider('ollama', 'Ollama', null, { baseUrl: 'http://127.0.0.1:11434/v1' }),
      provider('openai-compatible', 'OpenAI-compatible server', null),
    ],
    localServers: [
      { id: 'ollama', name: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1', models: ['llama3:8b', 'qwen3:4b'] },
    ],
    gateway: {
      mode: 'embedded',
      local: { enabled: true, port: 8787, url: 'http://127.0.0.1:8787', problem: null },
      status: { state: 'ok', problem: null, retryAfterMs: null, latencyMs: 2 },
    },
    gatewayAccounts: { accounts: [], active: null },
    apiKeys: [],
    outlook: {
      main: { messagesLeft: null, daysLeft: null, basis: null, low: false },
      sandbox: { messagesLeft: 912, daysLeft: 31, basis: { days: 12, requests: 120, costUsd: '1.3' }, low: false },
    },
    budget: {
      limitUsd: null,
      spentUsd: '3.2180415',
      share: null,
      start: Date.UTC(2026, 10),
      end: Date.UTC(2026, 11),
    },
    tools: fakeToolsData(),
    decisions: [],
    opened: [],
  };
}
