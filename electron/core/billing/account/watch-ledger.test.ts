import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { allScopes } from '#gateway/access/auth/scopes.ts';
import { listen } from '#gateway/http/listen.ts';
import { openGateway } from '#gateway/open-gateway.ts';
import { gatewayClient } from '#shared/client/gateway-client.ts';
import type { Topic } from '#shared/contract/app/changes.ts';
import { parseUsd } from '#shared/money.ts';
import { eventually } from '../../../../tests/support/eventually.ts';
import { testContext } from '../../../../tests/support/test-context.ts';
import type { Payer } from '../../gateways/connection/connections.ts';
import { openChanges } from '../../runtime/streams/change-topics.ts';
import { watchLedger } from './watch-ledger.ts';

/** Opens a remote gateway that a window watches. The requests of the watcher are recorded in `asked`. */
async function watched(everyMs = 5) {
  const gateway = await openGateway({ database: ':memory:', sandboxPace: 0 });
  const { id: accountId } = await gateway.operator.createAccount({ name: 'Team', plan: 'sandbox' });
  const { key } = await gateway.operator.createKey({ accountId, scopes: allScopes });
  let door = await listen(gateway, { port: 0 });
  const { url } = door;
  const asked: string[] = [];
  const client = gatewayClient({
    baseUrl: url,
    apiKey: () => key,
    fetch: (input, init) => {
      asked.push(String(input));
      return fetch(input, init);
    },
  });
  const payers = async (): Promise<Payer[]> => [
    { id: 'main', name: null, billingAccount: 'main', source: `${url}/main`, client },
  ];
  const changes = openChanges();
  const end = new AbortController();
  const every = { embedded: everyMs, remote: everyMs };
  const watching = watchLedger({
    ...testContext({ changes, closing: end.signal }),
    connections: { mode: 'remote', payers },
    every,
  });
  const announced: Topic[] = [];
  const closed = new AbortController();
  changes.listen((topics) => announced.push(...topics));
  const watch = async () => {
    for await (const _ of changes.watch(undefined, closed.signal));
  };
  onTestFinished(async () => {
    closed.abort();
    end.abort();
    await watching;
    await door.close();
    await gateway.close();
  });
  const reads = async (count: number) => {
    const before = asked.length;
    await eventually(async () => expect(asked.length).toBeGreaterThan(before + count));
  };
  return {
    asked,
    announced,
    reads,
    changes,
    watch,
    /** Opens a window and waits until the first check has been announced. */
    async open() {
      void watch();
      await eventually(async () => expect(announced).toEqual(['account']));
      announced.length = 0;
    },
    grant: (amount: string) => gateway.operator.grant({ accountId, amount: parseUsd(amount) }),
    goAway: () => door.close(),
    async comeBack() {
      door = await listen(gateway, { port: Number(new URL(url).port) });
    },
  };
}

test('a top-up from outside the app is announced once', async () => {
  const ledger = await watched();
  await ledger.open();
  await ledger.reads(3);
  expect(ledger.announced).toEqual([]);
  await ledger.grant('5');
  await eventually(async () => expect(ledger.announced).toEqual(['account']));
  await ledger.reads(3);
  expect(ledger.announced).toEqual(['account']);
});

test('a change that the app announced itself is checked at once and not announced again', async () => {
  const ledger = await watched(3_600_000);
  void ledger.watch();
  const announce = async () => {
    const before = ledger.asked.length;
    ledger.changes.emit('account');
    await eventually(async () => expect(ledger.asked.length).toBeGreaterThan(before));
  };
  await announce();
  await ledger.grant('5');
  await announce();
  await announce();
  expect(ledger.announced).toEqual(['account', 'account', 'account']);
});

test('a gateway is announced once when it goes away and once when it comes back', async () => {
  const ledger = await watched();
  await ledger.open();
  await ledger.reads(2);
  await ledger.goAway();
  await eventually(async () => expect(ledger.announced).toEqual(['gateway']));
  await ledger.comeBack();
  await eventually(async () => expect(ledger.announced).toEqual(['gateway', 'gateway']));
});

test('the gateway is not polled while no window is open', async () => {
  const ledger = await watched();
  await sleep(50);
  expect(ledger.asked).toEqual([]);
  await ledger.open();
  await ledger.reads(1);
});
