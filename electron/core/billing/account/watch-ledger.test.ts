import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { allScopes } from '#gateway/access/auth/scopes.ts';
import { listen } from '#gateway/http/listen.ts';
import { openGateway } from '#gateway/open-gateway.ts';
import { gatewayClient } from '#shared/client/gateway-client.ts';
import type { Topic } from '#shared/contract/app/changes.ts';
import { parseUsd } from '#shared/money.ts';
import { eventually } from '../../../../tests/support/eventually.ts';
import type { Payer } from '../../gateways/connection/connections.ts';
import { openChanges } from '../../runtime/streams/change-topics.ts';
import { watchLedger } from './watch-ledger.ts';

/** A gateway that somebody else runs, watched from a window; what the watch asks goes through `fetch`. */
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
  const watching = watchLedger({ connections: { mode: 'remote', payers }, changes, signal: end.signal, every });
  const heard: Topic[] = [];
  const closed = new AbortController();
  changes.listen((topics) => heard.push(...topics));
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
    heard,
    reads,
    changes,
    watch,
    /** Opens a window; the first look has been announced. */
    async open() {
      void watch();
      await eventually(async () => expect(heard).toEqual(['account']));
      heard.length = 0;
    },
    grant: (amount: string) => gateway.operator.grant({ accountId, amount: parseUsd(amount) }),
    goAway: () => door.close(),
    async comeBack() {
      door = await listen(gateway, { port: Number(new URL(url).port) });
    },
  };
}

test('a top-up by somebody else is announced once, and nothing else is', async () => {
  const ledger = await watched();
  await ledger.open();
  await ledger.reads(3);
  expect(ledger.heard).toEqual([]);
  await ledger.grant('5');
  await eventually(async () => expect(ledger.heard).toEqual(['account']));
  await ledger.reads(3);
  expect(ledger.heard).toEqual(['account']);
});

test('what the app itself announced is looked at at once, and not announced again', async () => {
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
  expect(ledger.heard).toEqual(['account', 'account', 'account']);
});

test('a gateway that is gone and one that is back are announced, once each', async () => {
  const ledger = await watched();
  await ledger.open();
  await ledger.reads(2);
  await ledger.goAway();
  await eventually(async () => expect(ledger.heard).toEqual(['gateway']));
  await ledger.comeBack();
  await eventually(async () => expect(ledger.heard).toEqual(['gateway', 'gateway']));
});

test('while no window watches, nothing is asked', async () => {
  const ledger = await watched();
  await sleep(50);
  expect(ledger.asked).toEqual([]);
  await ledger.open();
  await ledger.reads(1);
});
