import { expect, test } from 'vitest';
import { accountWithKey, chat, command, serve, workplace } from '../../tests/gateway-doubles/cli-process.ts';

test('account limits by day and month take effect in a serving gateway at once', async () => {
  const { database } = await workplace();
  const { id, key } = await accountWithKey(database);
  const limits = (...words: string[]) => command(['account', 'limits', id, ...words, '--db', database]);
  expect((await limits()).stdout).toBe('day\tno limit\tused $0\nmonth\tno limit\tused $0\n');
  const { url } = await serve(database);
  const ask = () => chat(url, key, { prompt: 'hi', provider: 'sandbox' });
  expect((await ask()).status).toBe(200);
  expect((await limits('--day', '0.0001', '--month', '20.5')).stdout).toMatch(
    /^day\tlimit \$0\.0001\tused \$0\.\d+\nmonth\tlimit \$20\.5\tused \$0\.\d+\n$/,
  );
  const refused = await refusedSoon(ask);
  expect(await refused.json()).toMatchObject({
    error: { code: 'plan_limit_exceeded', details: { limit: 'account_day_usd', limit_value: '0.0001' } },
  });
  // A limit that isn't named stays.
  expect(JSON.parse((await limits('--month', 'none', '--json')).stdout)).toMatchObject({
    id,
    day: { limit_usd: '0.0001' },
    month: { limit_usd: null, used_usd: expect.stringMatching(/^0\.\d+$/) },
    except_key: null,
  });
  await limits('--day', 'none');
  expect((await ask()).status).toBe(200);
  const askEcho = () => chat(url, key, { prompt: 'hi', model: 'sandbox/echo' });
  expect((await askEcho()).status).toBe(200);
  const ofModel = await limits('--model', 'sandbox/echo=0.0000001', '--model', 'sandbox/slow=3');
  expect(ofModel.stdout).toMatch(
    /\nsandbox\/echo, month\tlimit \$0\.0000001\tused \$0\.\d+\nsandbox\/slow, month\tlimit \$3\tused \$0\n$/,
  );
  const overModel = await refusedSoon(askEcho);
  expect(await overModel.json()).toMatchObject({
    error: { code: 'plan_limit_exceeded', details: { limit: 'account_model_month_usd', model: 'sandbox/echo' } },
  });
  expect((await ask()).status).toBe(200);
  expect(JSON.parse((await limits('--model', 'sandbox/echo=none', '--json')).stdout)).toMatchObject({
    models: [{ model: 'sandbox/slow', limit_usd: '3', used_usd: '0' }],
  });
  expect((await askEcho()).status).toBe(200);
  const getError = async (...words: string[]) => {
    const { code, stderr } = await command(['account', 'limits', ...words, '--db', database]);
    return `${code} ${stderr}`;
  };
  expect(await getError(id, '--day', '-1')).toMatch(/^1 .*cannot be negative/);
  expect(await getError(id, '--month', 'much')).toMatch(/^1 .*"much" is not an amount in USD/);
  expect(await getError(id, '--model', 'sandbox/echo')).toMatch(/^1 .*"sandbox\/echo" is not a model and an amount/);
  expect(await getError('acct_x')).toMatch(/^1 .*There is no account "acct_x"/);
});

/** A gateway checks 20 times a second for changes by other processes, and once more before it refuses. */
async function refusedSoon(ask: () => Promise<Response>): Promise<Response> {
  let last = await ask();
  await expect
    .poll(async () => {
      if (last.status === 200) last = await ask();
      return last.status;
    })
    .toBe(403);
  return last;
}
