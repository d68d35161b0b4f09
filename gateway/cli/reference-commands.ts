import { AppError } from '#shared/errors.ts';
import { formatUsd, formatUsdPerToken, type PicoUsd, picoUsd } from '#shared/money.ts';
import type { Plan } from '../auth/principal.ts';
import { buildCatalogue } from '../catalogue/build-catalogue.ts';
import type { CatalogueModel } from '../catalogue/catalogue.ts';
import { priceToJson } from '../ledger/price-json.ts';
import { openApiDocument } from '../openapi/document.ts';
import { postmanCollection } from '../openapi/postman.ts';
import { plans } from '../plans.ts';
import { type Output, type ReferenceCommand, referenceCommand, type Words } from './command.ts';
import { providerCommands } from './provider-commands.ts';

/** What ships with the gateway: no database is opened. */
export const referenceCommands: Readonly<Record<string, ReferenceCommand>> = {
  'plan list': referenceCommand(listPlans),
  'prices list': referenceCommand(listPrices, { options: ['provider'] }),
  ...providerCommands,
  openapi: referenceCommand(async () => printed(openApiDocument())),
  postman: referenceCommand(
    async ({ option }) => printed(postmanCollection(openApiDocument(), option('base-url') ?? defaultBaseUrl)),
    { options: ['base-url'] },
  ),
};

const defaultBaseUrl = 'http://127.0.0.1:8788';

/** A file to redirect into: JSON either way. */
const printed = (json: unknown): Output => ({ lines: [JSON.stringify(json, null, 2)], json });

async function listPlans(): Promise<Output> {
  return { lines: plans.map(planLine), json: plans.map(planJson) };
}

const perMinute = (limit: number | null, what: string) => (limit === null ? [] : [`${limit} ${what}/min`]);

const planLine = (plan: Plan) =>
  [
    plan.id,
    plan.billing,
    [
      ...perMinute(plan.requestsPerMinute, 'requests'),
      ...perMinute(plan.tokensPerMinute, 'tokens'),
      ...(plan.concurrentRequests === null ? [] : [`${plan.concurrentRequests} at a time`]),
      ...(plan.requestsPerDay === null ? [] : [`${plan.requestsPerDay} requests/day`]),
      ...(plan.monthlySpend === null ? [] : [`$${formatUsd(plan.monthlySpend)}/month`]),
      ...(plan.maxOutputTokens === null ? [] : [`${plan.maxOutputTokens} output tokens`]),
    ].join(', '),
    `models ${plan.models.join(' ')}`,
  ].join('\t');

const planJson = ({ monthlySpend, ...plan }: Plan) => ({
  ...plan,
  monthlySpend: monthlySpend === null ? null : formatUsd(monthlySpend),
});

async function listPrices({ option }: Words): Promise<Output> {
  const today = new Date().toISOString().slice(0, 10);
  const { models } = buildCatalogue(today, []);
  const provider = option('provider');
  const asked = models.filter((model) => provider === undefined || model.provider === provider);
  if (asked.length === 0) {
    const known = [...new Set(models.map((model) => model.provider))].join(', ');
    throw new AppError('not_found', `There are no prices of a provider "${provider}". Providers: ${known}.`);
  }
  return {
    lines: ['model\tUSD per million tokens: input\toutput\tas of', ...asked.map(priceLine)],
    json: asked.map((model) => ({
      id: model.id,
      provider: model.provider,
      pricing: model.price && { ...priceToJson(model.price), as_of: model.priceAsOf, source: model.priceSource },
    })),
  };
}

/** Six places: USD per million tokens, exactly. */
const perMillion = (price: PicoUsd) => formatUsdPerToken(picoUsd(price * 1_000_000n));

const priceLine = ({ id, price, priceAsOf }: CatalogueModel) =>
  price
    ? [id, perMillion(price.prompt), perMillion(price.completion), priceAsOf ?? '–'].join('\t')
    : [id, 'not known', '', ''].join('\t');
