import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { builtHosts } from '../hosts/built-hosts.ts';
import { chatEnded } from '../support/chat-ended.ts';
import { type ReportedCost, startLoad } from '../support/chat-load.ts';
import { eventually } from '../support/eventually.ts';
import { figure } from '../support/figures.ts';
import { builtGateway, type GatewayProcess, type GatewayProgram } from '../support/gateway-process.ts';
import { disagreements } from '../support/ledger-agrees.ts';
import { prepaidAccount } from '../support/prepaid-account.ts';
import { openPricedUpstream, pricedModel } from '../support/priced-upstream.ts';
import { settledLedger } from '../support/settled-ledger.ts';
import { type SmallDisk, smallDisk, smallDiskMissing } from '../support/small-disk.ts';
import { runToEnd, startWebProcess } from '../support/web-process.ts';

const missing = smallDiskMissing();
const pepper = { PORTICO_KEY_PEPPER: 'a secret of more than thirty-two characters' };
const exact = { problems: [], wrong: [], running: 0, held: '0' };

describe.skipIf(missing !== null)(
  `a gateway on a disk without a free byte${missing ? ` (not here: ${missing})` : ''}`,
  () => {
    let program: GatewayProgram;
    let upstream: Awaited<ReturnType<typeof openPricedUpstream>>;
    let folder: string;
    let disk: SmallDisk;
    let database: string;
    let keys: readonly string[];
    let running: GatewayProcess | undefined;

    beforeAll(async () => {
      program = await builtGateway();
      upstream = await openPricedUpstream((call) => ({
        promptTokens: 5 + (call % 50),
        completionTokens: 1 + (call % 200),
      }));
    });
    afterAll(() => upstream.close());
    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'portico-disk-'));
      const [mounted, copied] = [join(folder, 'mounted'), join(folder, 'copied')];
      for (const made of [mounted, copied]) mkdirSync(made);
      database = join(copied, 'ledger.db');
      ({ keys } = await prepaidAccount(database, pepper, '1000', 4));
      disk = await smallDisk(mounted, 16);
      disk.copyIn(copied);
    });
    afterEach(async () => {
      await running?.kill('SIGKILL');
      await disk.close();
      rmSync(folder, { recursive: true });
    });

    const start = async () => {
      running = await program.start(join(disk.folder, 'ledger.db'), {
        env: { ...pepper, ...upstream.env },
        within: disk.within,
      });
      return running;
    };
    const settled = (reported: readonly ReportedCost[]) => {
      disk.copyOut(join(folder, 'copied'));
      return settledLedger(database, pepper, reported);
    };
    const ask = ({ url }: GatewayProcess, metadata = {}, key = keys[0], signal: AbortSignal | null = null) =>
      fetch(`${url}/chat`, {
        signal,
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: pricedModel, prompt: 'Say hello.', metadata }),
      });

    /**
     * Fills the disk again and again, because the gateway may free space, until its write-ahead log has no space either
     * and a new request is refused. Running requests wait for the ledger.
     */
    const refusedOnFull = (gateway: GatewayProcess) => {
      const long = Object.fromEntries(Array.from({ length: 14 }, (_, index) => [`part${index}`, 'x'.repeat(512)]));
      let asked = 0;
      return eventually(async () => {
        disk.fill();
        const response = await ask(gateway, long, keys[asked++ % keys.length], AbortSignal.timeout(2_000));
        expect(response.status).toBe(503);
        return response;
      });
    };

    test('refuses requests under load with a retry time and without a charge, and continues once there is space', async () => {
      const gateway = await start();
      const load = startLoad(6, () => [gateway.url], keys);
      await load.more(60);
      const refused = await refusedOnFull(gateway);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await refused.json()).toMatchObject({ error: { code: 'server_overloaded' } });
      disk.free();
      await load.more(60);
      await load.stop();
      expect(await gateway.kill('SIGTERM')).toBe(0);
      const gatewayDb = await settled(load.reported);
      expect(gatewayDb).toMatchObject(exact);
      expect(gatewayDb.entries.map((entry) => entry.request_id)).not.toContain(refused.headers.get('x-request-id'));
      figure(
        'full disk',
        `${load.reported.length} answers acknowledged, ${load.counts.broken} refused or broken, ledger exact`,
      );
    });

    test('loses nothing that was acknowledged after kill -9', async () => {
      const gateway = await start();
      const load = startLoad(6, () => [gateway.url], keys);
      await load.more(60);
      await refusedOnFull(gateway);
      await gateway.kill('SIGKILL');
      await load.stop();
      disk.free();
      const next = await start();
      expect((await ask(next)).status).toBe(200);
      expect(await next.kill('SIGTERM')).toBe(0);
      expect(await settled(load.reported)).toMatchObject(exact);
    });

    test('fails to start with a clear error, and starts once there is space', async () => {
      disk.fill();
      await expect(start()).rejects.toThrow(/disk|space/i);
      disk.free();
      expect((await ask(await start())).status).toBe(200);
    });
  },
);

describe.skipIf(missing !== null)('the app on a disk without a free byte', () => {
  test('reports the full disk, loses nothing that it has accepted, and continues once there is space, even after kill -9', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portico-disk-'));
    const disk = await smallDisk(folder, 32);
    const { webMain } = await builtHosts();
    const dataFolder = join(folder, 'data');
    const start = () =>
      startWebProcess(webMain, ['--data-dir', dataFolder], { PORTICO_SIMULATED_PACE: '0' }, { within: disk.within });
    let web = await start();
    onTestFinished(async () => {
      await web.kill('SIGKILL');
      await disk.close();
      rmSync(folder, { recursive: true });
    });
    const first = await web.connect();
    const { conversationId } = await first.chat.send({ messageId: 'k1', text: 'Hello', model: 'sandbox/echo' });
    const before = await chatEnded(first, conversationId);
    disk.fill();
    const again = { messageId: 'k2', conversationId, text: 'Again', model: 'sandbox/echo' };
    const refused = await first.chat.send(again).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'disk_full', data: { refusal: { name: 'diskFull' } } });
    expect(await chatEnded(first, conversationId)).toEqual(before);
    const uncopied = await first.ledger.backUp().catch((error: unknown) => error);
    expect(uncopied).toMatchObject({ code: 'disk_full', data: { refusal: { name: 'diskFull' } } });
    await web.kill('SIGKILL');

    const unstarted = await runToEnd(webMain, ['--data-dir', dataFolder], disk.within);
    expect(unstarted).toMatchObject({ code: 2, stderr: expect.stringMatching(/disk is full/) });

    disk.free();
    web = await start();
    const next = await web.connect();
    expect(await chatEnded(next, conversationId)).toEqual(before);
    const { backups } = await next.ledger.backUp();
    expect(backups).toHaveLength(1);
    disk.fill();
    const unrestored = await next.ledger.restore({ name: backups[0]?.name ?? '' }).catch((error: unknown) => error);
    expect(unrestored).toMatchObject({ code: 'disk_full' });
    disk.free();
    await next.chat.send(again);
    const after = await chatEnded(next, conversationId);
    expect(after.map(({ text, status }) => [text, status])).toEqual(
      ['Hello', 'Hello', 'Again', 'Again'].map((text) => [text, 'done']),
    );
    expect(await web.kill('SIGTERM')).toBe(0);
    const copied = join(folder, 'copied');
    mkdirSync(copied);
    disk.copyOut(copied);
    expect(disagreements(copied)).toEqual([]);
  });
});
