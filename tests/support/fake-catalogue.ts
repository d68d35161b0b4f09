import { implement } from '@orpc/server';
import { contract } from '#shared/contract/index.ts';
import type { FakeData } from './fake-data.ts';

/** The fake core's model list with made-up prices and usage. */
export function fakeCatalogue(data: FakeData, guard: (method: string) => Promise<void>) {
  const os = implement(contract);
  const known = (id: string) => data.models.find((model) => model.id === id);
  return {
    catalogue: {
      list: os.catalogue.list.handler(async () => {
        await guard('catalogue.list');
        return {
          models: data.models.map((model) => ({ ...model, staleDays: data.staleDays })),
          fetchedAt: Date.now() - 240_000,
          problem: data.modelsProblem === null ? null : { message: data.modelsProblem },
          retryAfterMs: null,
          allPrices: true,
        };
      }),
      history: os.catalogue.history.handler(async ({ input }) => {
        await guard('catalogue.history');
        const pricing = known(input.model)?.pricing ?? null;
        const before = pricing && { ...pricing, prompt: '0.00001', completion: '0.00004' };
        return [
          { from: null, pricing: before },
          { from: '2026-08-21', pricing },
          { from: '2027-01-01', pricing: before },
        ];
      }),
      fits: os.catalogue.fits.handler(async () => {
        await guard('catalogue.fits');
        return { title: 'A long chat', tokens: 150_000, abilities: ['tools'] };
      }),
    },
    whatIf: {
      use: os.whatIf.use.handler(async () => {
        await guard('whatIf.use');
        return { requests: 412, costUsd: '3.141592653', firstTokenMs: 640, tokensPerSecond: 96.4, measured: 100 };
      }),
      mix: os.whatIf.mix.handler(async () => {
        await guard('whatIf.mix');
        return { requests: 412, input: 3200, cached: 1100, output: 640 };
      }),
      reprice: os.whatIf.reprice.handler(async ({ input }) => {
        await guard('whatIf.reprice');
        return {
          requests: 412,
          chargedUsd: '12.480000001',
          ownKeysUsd: '0',
          estimated: 3,
          unknown: 0,
          readSince: null,
          models: input.models.map((model, index) => ({
            model,
            name: known(model)?.name ?? model,
            pricesAsOf: '2026-11-01',
            requests: 400 - index,
            costUsd: `${9 + index}.5`,
            actualUsd: '12.1',
            moreUsd: index > 2 ? `${index - 2}.4` : `-${2.6 - index}`,
            contextKnown: true,
            tooLong: { requests: 8, costUsd: '0.3' },
            unable: { requests: 4 + index, costUsd: '0.08', lacks: ['vision'] },
          })),
        };
      }),
    },
  };
}
