import '../ui/styles/theme.css';
import { afterEach, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { createFakeCore } from '../../tests/support/fake-core.ts';
import { fakeData } from '../../tests/support/fake-data.ts';
import { fakeModels, manyModels } from '../../tests/support/fake-models.ts';
import { closeApp, openApp, openOver, reload } from '../../tests/support/open-app.tsx';

afterEach(async () => {
  await closeApp();
  await page.viewport(1280, 800);
});

const sandboxOnly = fakeModels.filter((model) => model.kind === 'router' || model.simulated);
const firstRun = () => ({
  conversations: [],
  models: sandboxOnly,
  settings: { ...fakeData().settings, welcomed: false, model: 'router' },
});

test('from the first start, two clicks lead to a streamed answer paid with test credits', async () => {
  await openApp('', firstRun(), { paceMs: 1 });
  await expect.element(page.getByRole('status', { name: 'Balance' })).toMatchTextContent('Test credits$10.00');
  await page.getByRole('button', { name: 'Try it now', exact: true }).click();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect.element(page.getByRole('log')).toMatchTextContent('sliding window counter');
  await expect.element(page.getByRole('log')).toMatchTextContent('$0.0001695');
  await expect.element(page.getByRole('status', { name: 'Balance' })).toMatchTextContent('$9.9998305');
});

test('in a short window the first start shows the composer, and the content above scrolls', async () => {
  await openApp('', firstRun());
  const send = page.getByRole('button', { name: 'Send', exact: true });
  const title = page.getByRole('heading', { name: 'Welcome to Portico' });
  await expect.element(title).toBeVisible();
  for (const [width, height] of [
    [900, 400],
    [640, 400],
    [420, 500],
  ] as const) {
    await page.viewport(width, height);
    await expect.poll(() => send.element().getBoundingClientRect().bottom).toBeLessThanOrEqual(height);
    expect(title.element().getBoundingClientRect().top).toBeGreaterThan(0);
    const last = page.getByRole('button', { name: 'Connect a gateway' }).element();
    (document.activeElement as HTMLElement).blur();
    last.focus();
    const covered = () => {
      const { left, top } = last.getBoundingClientRect();
      return document
        .elementFromPoint(left + 2, top + 2)
        ?.closest('section')
        ?.getAttribute('aria-label');
    };
    await expect.poll(covered).toBe('Welcome to Portico');
    title.element().scrollIntoView();
  }
});

test('the composer does not move when the first start is detected or the chat becomes temporary', async () => {
  const fake = createFakeCore(firstRun());
  fake.hold('settings.get', true);
  await openOver(fake, '');
  const message = page.getByRole('textbox', { name: 'Message' });
  await expect.element(page.getByRole('heading', { name: 'What are we working on?' })).toBeVisible();
  const top = () => message.element().getBoundingClientRect().top;
  const before = top();
  fake.hold('settings.get', false);
  await expect.element(page.getByRole('heading', { name: 'Welcome to Portico' })).toBeVisible();
  expect(top()).toBe(before);
  await page.getByRole('button', { name: 'Temporary chat' }).click();
  await expect.element(page.getByRole('heading', { name: 'Temporary chat', level: 2 })).toBeVisible();
  expect(top()).toBe(before);
});

test.each([
  ['Add a provider key', '#settings/providers'],
  ['Connect a gateway', '#settings/gateway'],
])('%s opens its settings section', async (name, hash) => {
  await openApp('', firstRun());
  await page.getByRole('button', { name, exact: true }).click();
  expect(location.hash).toBe(hash);
});

test('a problem that keeps the app from answering is shown above every page', async () => {
  const problem =
    'Another server (process 7) uses the gateway.db of this app. When it ends, answers go on by themselves.';
  await openApp('#models', { ...fakeData(), app: { ...fakeData().app, problem: { message: problem } } });
  await expect.element(page.getByRole('status').filter({ hasText: 'gateway.db' })).toMatchTextContent(problem);
});

const pages = [
  {
    hash: '#models',
    method: 'catalogue.list',
    loading: 'Loading models',
    empty: { models: [] },
    emptyText: 'No models yet',
    full: 'Claude Opus 5',
  },
  {
    hash: '#usage',
    method: 'usage.get',
    loading: 'Loading usage',
    empty: { ledgerLines: 0 },
    emptyText: 'Nothing used in this period',
    full: 'By model',
  },
  {
    hash: '#credits',
    method: 'credits.get',
    loading: 'Loading credits',
    empty: { ledgerLines: 0 },
    emptyText: 'No transactions yet',
    full: 'All kinds',
  },
  {
    hash: '#account',
    method: 'account.get',
    loading: 'Loading the account',
    empty: null,
    emptyText: '',
    full: 'Plan and limits',
  },
  {
    hash: '#settings/providers',
    method: 'providers.list',
    loading: 'Loading settings',
    empty: { providers: [] },
    emptyText: 'Providers & keys',
    full: 'Anthropic',
  },
  {
    hash: '#settings/gateway',
    method: 'gateway.get',
    loading: 'Loading settings',
    empty: null,
    emptyText: '',
    full: 'Local URL',
  },
  {
    hash: '#settings/tools',
    method: 'tools.list',
    loading: 'Loading tools',
    empty: {},
    emptyText: 'No servers yet.',
    full: 'Calculator',
  },
] as const;

test.each(pages.filter((entry) => entry.method !== 'catalogue.list'))(
  '$hash shows a loading state, a failure, and its content after Retry',
  async ({ hash, method, loading, full }) => {
    const fake = await openApp('#chat');
    fake.hold(method, true);
    fake.fail(method, 'gateway_unreachable', 'The gateway did not answer.');
    location.hash = hash;
    await expect.element(page.getByRole('status', { name: loading })).toBeVisible();
    fake.hold(method, false);
    await expect.element(page.getByRole('alert').first()).toMatchTextContent('The gateway did not answer.');
    fake.fail(method, null);
    await page.getByRole('button', { name: 'Retry' }).first().click();
    await expect.element(page.getByRole('main')).toMatchTextContent(full);
  },
);

test('the models page shows a loading state, a failure, and its content after Retry', async () => {
  const fake = await openApp('#models', {}, {});
  await closeApp();
  fake.fail('catalogue.list', 'gateway_unreachable', 'The gateway did not answer.');
  fake.hold('catalogue.list', true);
  await reload(fake, '#models');
  await expect.element(page.getByRole('status', { name: 'Loading models' })).toBeVisible();
  fake.hold('catalogue.list', false);
  await expect.element(page.getByRole('alert')).toMatchTextContent('The gateway did not answer.');
  fake.fail('catalogue.list', null);
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect.element(page.getByRole('main')).toMatchTextContent('Claude Opus 5');
});

test.each(pages.filter((entry) => entry.empty))(
  '$hash shows an empty state when there is nothing',
  async ({ hash, empty, emptyText }) => {
    await openApp(hash, empty as object);
    await expect.element(page.getByRole('main')).toMatchTextContent(emptyText);
  },
);

test('only the visible rows are rendered while three thousand models are filtered', async () => {
  await openApp('#models', { models: [...fakeModels, ...manyModels(3000)] });
  await expect.element(page.getByRole('main')).toMatchTextContent('3,009 models');
  expect(document.querySelectorAll('tbody tr').length).toBeLessThan(60);
  await page.getByRole('searchbox', { name: 'Filter models' }).fill('meta 12');
  await expect.element(page.getByRole('main')).toMatchTextContent(/\d+ match/);
  await page.getByRole('button', { name: 'Meta 12', exact: true }).click();
  const sheet = page.getByRole('dialog', { name: 'Meta 12' });
  await expect.element(sheet).toMatchTextContent('per 1M tokens');
  await expect.element(sheet).toMatchTextContent('Price as of Nov 1, 2026, from genai-prices.');
});

test('a model chosen in the catalogue is used by the new chat', async () => {
  await openApp('#models');
  await page.getByRole('button', { name: 'Claude Haiku 5', exact: true }).click();
  await page.getByRole('button', { name: 'Use in chat' }).click();
  await expect.element(page.getByRole('combobox', { name: 'Model' })).toMatchTextContent('Claude Haiku 5');
});

test('the ledger loads page by page up to its first line', async () => {
  await openApp('#credits');
  await page.getByRole('button', { name: 'Test credits' }).click();
  await expect.element(page.getByRole('main')).toMatchTextContent('not money');
  await page.getByRole('button', { name: 'Load more' }).click();
  await expect.element(page.getByRole('main')).toMatchTextContent('100 lines');
  await page.getByRole('button', { name: 'Load more' }).click();
  await expect.element(page.getByRole('main')).toMatchTextContent('Credits added');
});

test('a saved key is never shown again', async () => {
  const fake = await openApp('#settings/providers');
  await page.getByRole('button', { name: 'Add key (Google)' }).click();
  await page.getByLabelText('API key').fill('AIza-not-a-real-key');
  fake.fail('providers.setKey', 'upstream_auth_failed', 'API key not valid.');
  await page.getByRole('button', { name: 'Check and save' }).click();
  await expect.element(page.getByRole('main')).toMatchTextContent('API key not valid.');
  fake.fail('providers.setKey', null);
  await page.getByRole('button', { name: 'Check and save' }).click();
  await expect.element(page.getByRole('main')).toMatchTextContent('sk-…9fQ2');
  expect(document.documentElement.innerHTML).not.toContain('AIza-not-a-real-key');
});

test('servers on this computer are searched on request and used with one click', async () => {
  const fake = await openApp('#settings/providers');
  expect(fake.calls.filter((call) => call === 'providers.discover')).toEqual([]);
  await page.getByRole('button', { name: 'Find servers on this computer' }).click();
  const found = page.getByRole('list', { name: 'Servers found' });
  await expect.element(found).toMatchTextContent('2 models');
  await page.getByRole('button', { name: 'Use (Ollama)' }).click();
  await expect.element(page.getByRole('button', { name: 'Use (Ollama)' })).toMatchTextContent('In use');
  await expect.element(page.getByRole('button', { name: 'Check (Ollama)' })).toBeVisible();
});

test('the palette opens a page by typing', async () => {
  await openApp('');
  await userEvent.keyboard('{Control>}k{/Control}');
  await page.getByRole('combobox', { name: /Search chats/ }).fill('usage');
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByRole('heading', { name: 'Usage', level: 1 })).toBeVisible();
  await userEvent.keyboard('{Control>}[[{/Control}');
  await expect.element(page.getByRole('heading', { name: 'New chat', level: 1 })).toBeVisible();
});

test('in a narrow window the sidebar is a drawer and the balance stays visible', async () => {
  await page.viewport(420, 800);
  await openApp('#models');
  await expect.element(page.getByRole('status', { name: 'Balance' })).toMatchTextContent('$3.2180415');
  await page.getByRole('button', { name: 'Open sidebar' }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'Usage', exact: true }).click();
  await expect.element(page.getByRole('heading', { name: 'Usage', level: 1 })).toBeVisible();
});

test('in a narrow window what is spent, with what is unknown of it, leaves room for the title', async () => {
  await page.viewport(360, 800);
  const { billingAccounts, settings } = fakeData();
  const unknown = billingAccounts.map((account) => ({
    ...account,
    unknown: account.billing === 'meter_only' ? 16 : 0,
  }));
  const [chat] = fakeData().conversations;
  await openApp(`#chat/${chat?.id}`, { billingAccounts: unknown, settings: { ...settings, model: 'openai/gpt-5' } });
  await expect.element(page.getByRole('status', { name: 'Balance' })).toMatchTextContent(/\+ 16 unknown spent/);
  const title = page.getByRole('heading', { level: 1 }).element();
  const header = title.closest('header');
  expect(header?.scrollWidth).toBe(header?.clientWidth);
  expect(title.clientWidth).toBeGreaterThan(40);
});

test('the theme is applied at once and stored for the next start', async () => {
  await openApp('#settings/appearance');
  await page.getByRole('button', { name: 'Dark' }).click();
  await expect.poll(() => document.documentElement.dataset.theme).toBe('dark');
  await expect.poll(() => localStorage.getItem('portico')).toContain('"theme":"dark"');
  await page.getByRole('button', { name: 'System' }).click();
  await expect.poll(() => document.documentElement.dataset.theme).toBe(undefined);
});

test('Alt with an arrow switches chats in the order of the list, even while the list is hidden, and stops at its ends', async () => {
  const [first, second, third] = fakeData().conversations.map(({ id }) => `#chat/${id}`);
  await openApp(second);
  await expect.element(page.getByRole('log', { name: 'Conversation' })).toBeVisible();
  await userEvent.keyboard('{Alt>}{ArrowDown}{/Alt}');
  await expect.poll(() => location.hash).toBe(third);
  await page.getByRole('textbox', { name: 'Message' }).fill('half a thought');
  await userEvent.keyboard('{Control>}b{/Control}{Alt>}{ArrowUp}{/Alt}');
  await expect.poll(() => location.hash).toBe(second);
  await userEvent.keyboard('{Alt>}{ArrowUp}{ArrowUp}{ArrowUp}{/Alt}');
  await expect.poll(() => location.hash).toBe(first);
});
