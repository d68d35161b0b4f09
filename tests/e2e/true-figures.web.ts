import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/free-port.ts';
import { prepaidAccount } from '../support/prepaid-account.ts';
import { openPricedUpstream, pricedModel } from '../support/priced-upstream.ts';
import { expectNoFault } from './accessibility.ts';
import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended } from './chat.ts';
import { agree, bySql, openPage, shows } from './ledger-by-sql.ts';

const cli = fileURLToPath(new URL('../../dist/gateway/cli.js', import.meta.url));

test("after a send, a stop and another program's request, every page shows the figures that SQL reads from the ledger", async ({
  launch,
}) => {
  let pauseMs = 0;
  const upstream = await openPricedUpstream(
    () => ({ promptTokens: 1000, completionTokens: 100 }),
    () => pauseMs,
  );
  const { page, dataFolder } = await launch({ env: upstream.env });
  const ledger = join(dataFolder, 'gateway.db');
  await chooseModel(page, 'GPT-4o mini');
  await openPage(page, '#reconciliation');
  await expect(page.getByRole('main')).toContainText('Nothing to match yet');
  await expectNoFault(page, 'reconciliation, empty');

  await openPage(page, '#chat');
  await ask(page, 'Name three lakes');
  await ended(articles(page).nth(1));
  await agree(page, ledger, 'local');
  await expectNoFault(page, 'reconciliation');

  await openPage(page, '#chat');
  const { charged } = bySql(ledger, 'local');
  pauseMs = 2_000;
  await ask(page, 'Tell me more');
  await expect(articles(page).nth(1)).toContainText('Hello');
  await page.getByRole('button', { name: 'Stop' }).click();
  await ended(articles(page).nth(1));
  pauseMs = 0;
  // The gateway reads the stream on for its token count, and charges when it has that.
  await expect.poll(() => bySql(ledger, 'local').charged).not.toBe(charged);
  await agree(page, ledger, 'local');

  await openPage(page, '#settings/gateway');
  const port = await freePort();
  await page.getByLabel('Port').fill(String(port));
  await page.getByRole('button', { name: 'Set port' }).click();
  await expect(page.getByText(`http://127.0.0.1:${port}`).first()).toBeVisible();
  await openPage(page, '#account');
  await page.getByRole('button', { name: 'Make a key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('Editor');
  await dialog.getByLabel('Limit').fill('1');
  await dialog.getByRole('button', { name: 'Make key' }).click();
  const key = (await dialog.locator('code').first().textContent()) ?? '';
  await dialog.getByRole('button', { name: 'Done' }).click();
  await openPage(page, '#settings/caps');
  await page.getByRole('textbox', { name: 'A day (UTC), USD' }).fill('2');
  await page.getByRole('button', { name: 'Save caps' }).click();
  await expect(page.getByText('Caps saved')).toBeVisible();
  const answer = await fetch(`http://127.0.0.1:${port}/chat`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: pricedModel, prompt: 'Hello?' }),
  });
  expect(answer.status).toBe(200);
  const { cost_usd: spent } = (await answer.json()) as { cost_usd: string };
  // Without a refresh by the user: the caps page is notified.
  await expect(page.getByRole('list', { name: 'How full they are' })).toContainText(
    `$${bySql(ledger, 'local').charged} of $2.00`,
  );
  await expect(page.getByRole('meter', { name: 'Key Editor' })).toHaveAttribute(
    'aria-valuetext',
    new RegExp(`^\\$${spent} of \\$1\\.00`),
  );
  await expectNoFault(page, 'caps with meters');
  await agree(page, ledger, 'local');
  await upstream.close();
});

test('a gateway that goes away is reported on every page with its last figures, which are current again when it is back', async ({
  launch,
  folder,
}) => {
  const ledger = join(folder, 'elsewhere.db');
  const account = await prepaidAccount(ledger, {}, '5', 2);
  const port = await freePort();
  const serve = async (): Promise<ChildProcess> => {
    const child = spawn(process.execPath, [cli, 'serve', '--port', String(port), '--db', ledger], {
      env: { ...process.env, PORTICO_SIMULATED_PACE: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (child.stdout) await once(child.stdout, 'data');
    return child;
  };
  const end = async (child: ChildProcess) => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  let gateway = await serve();
  const charged = () => bySql(ledger, 'enterprise').charged;
  const spendWithOtherKey = async () => {
    const before = charged();
    const answer = await fetch(`http://127.0.0.1:${port}/chat`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.keys[1]}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox/echo', prompt: 'Hello?' }),
    });
    expect(answer.status).toBe(200);
    // The gateway has the charge in its write-ahead log first and in the database file a moment later.
    await expect.poll(charged).not.toBe(before);
    return ((await answer.json()) as { cost_usd: string }).cost_usd;
  };
  try {
    const { page } = await launch();
    await page.getByRole('button', { name: 'Try it now' }).click();
    await openPage(page, '#settings/gateway');
    await page.getByLabel('Base URL').fill(`http://127.0.0.1:${port}`);
    await page.getByLabel('API key or token').fill(account.keys[0] ?? '');
    await page.getByRole('button', { name: 'Connect' }).click();
    await expect(page.getByRole('status', { name: 'Balance' })).toContainText('$5.00');
    await spendWithOtherKey();
    await openPage(page, '#credits');
    await page.getByRole('button', { name: 'Read again' }).click();
    const before = bySql(ledger, 'enterprise');
    await shows(page, [before.balance, before.charged]);

    await end(gateway);
    for (const hash of ['#credits', '#account', '#reconciliation', '#usage', '#models/what-if']) {
      await openPage(page, hash);
      await expect(page.getByRole('main')).toContainText(/did not answer|could not be reached|not reachable/i);
    }
    await openPage(page, '#credits');
    await shows(page, [before.balance]);
    await expectNoFault(page, 'credits, away');
    await expect(page.getByRole('main')).toContainText('What is shown is as of');

    gateway = await serve();
    const spent = await spendWithOtherKey();
    await page.getByRole('button', { name: 'Read again' }).click();
    const after = bySql(ledger, 'enterprise');
    expect(after.charged).not.toBe(before.charged);
    expect(spent).not.toBe('0');
    await shows(page, [after.balance, after.charged]);
    await expect(page.getByRole('main')).not.toContainText('What is shown is as of');
  } finally {
    await end(gateway);
  }
});
