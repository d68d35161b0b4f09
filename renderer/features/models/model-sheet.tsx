import type { Model } from '#shared/wire/model.ts';
import { saidByGateway } from '../../text/error-text.ts';
import { dayOf, usd, usdPerMillion } from '../../text/format.ts';
import { text } from '../../text/models-text.ts';
import { Sheet } from '../../ui/dialogs/dialog.tsx';
import { Button } from '../../ui/elements/button.tsx';
import { Facts } from '../../ui/elements/facts.tsx';
import { ProviderMark } from '../../ui/elements/provider-mark.tsx';
import { providerName } from '../../ui/elements/provider-name.ts';
import { Notice } from '../../ui/notices/notice.tsx';
import { Status } from './model-table.tsx';

const { details } = text;

interface ModelSheetProps {
  model: Model | null;
  onClose: () => void;
  onUse: (model: Model) => void;
}

/** All facts about one model, with its prices, their date and source. */
export function ModelSheet({ model, onClose, onUse }: ModelSheetProps) {
  const usable = model?.status === 'available' || model?.status === 'degraded';
  return (
    <Sheet open={model !== null} onOpenChange={(open) => !open && onClose()} title={model?.name ?? ''}>
      {model && (
        <>
          <div className="flex items-center gap-2 text-fg-2">
            <ProviderMark provider={model.provider} />
            {providerName(model.owned_by)}
            <span className="flex-1" />
            <Status model={model} />
          </div>
          {model.description && <p className="mt-3 text-fg-2">{model.description}</p>}
          <div className="mt-3 flex flex-col gap-2 empty:hidden">
            {model.unavailable_reason && (
              <Notice tone="warn">{saidByGateway(model.status, model.unavailable_reason)}</Notice>
            )}
            {model.deprecation_date && <Notice tone="warn">{details.deprecated(model.deprecation_date)}</Notice>}
            {model.shutdown_date && <Notice tone="warn">{details.shutdown(model.shutdown_date)}</Notice>}
          </div>
          <Button variant="primary" className="mt-4 w-full" disabled={!usable} onClick={() => onUse(model)}>
            {text.useInChat}
          </Button>
          <Prices model={model} />
          <h3 className="mt-6 mb-1 font-semibold text-sm">{details.accepts}</h3>
          <Facts
            facts={[
              [
                details.id,
                <code key="id" className="font-mono text-xs wrap-anywhere">
                  {model.id}
                </code>,
              ],
              [details.context, text.tokens(model.context_length)],
              [details.output, text.tokens(model.max_output_tokens)],
              [details.accepts, named(text.modalities, model.architecture.input_modalities)],
              [details.can, named(text.abilities, model.capabilities) || '—'],
              ...(model.aliases.length > 0 ? ([[details.aliases, model.aliases.join(', ')]] as const) : []),
            ]}
          />
        </>
      )}
    </Sheet>
  );
}

/** A gateway’s terms as text; an unknown one as it is. */
const named = (names: Readonly<Record<string, string>>, listed: readonly string[]) =>
  listed.map((id) => names[id] ?? id).join(', ');

function Prices({ model }: { model: Model }) {
  const { pricing } = model;
  if (!pricing) return <p className="mt-6 text-fg-2">{model.kind === 'router' ? text.router : text.noPrice}</p>;
  const line = (name: string, perToken: string | null) =>
    perToken === null
      ? []
      : ([[name, <Amount key={name} amount={usdPerMillion(perToken)} unit={details.unit} />]] as const);
  const once = (name: string, amount: string | null) =>
    amount === null || /^0(\.0*)?$/.test(amount)
      ? []
      : ([[name, <Amount key={name} amount={usd(amount)} unit={details.once} />]] as const);
  return (
    <>
      <h3 className="mt-6 mb-1 font-semibold text-sm">{details.price}</h3>
      <Facts
        facts={[
          ...line(details.input, pricing.prompt),
          ...line(details.cacheRead, pricing.input_cache_read),
          ...line(details.cacheWrite, pricing.input_cache_write),
          ...line(details.completion, pricing.completion),
          ...line(details.imageOutput, pricing.image_output ?? null),
          ...once(details.request, pricing.request),
          ...once(details.webSearch, pricing.web_search ?? null),
          ...once(details.image, pricing.image),
        ]}
      />
      {pricing.tiers.map((tier) => (
        <div key={tier.min_prompt_tokens}>
          <h4 className="mt-4 mb-1 font-medium text-fg-2">{details.tier(tier.min_prompt_tokens)}</h4>
          <Facts
            facts={[
              ...line(details.input, tier.prompt),
              ...line(details.cacheRead, tier.input_cache_read),
              ...line(details.cacheWrite, tier.input_cache_write),
              ...line(details.completion, tier.completion),
            ]}
          />
        </div>
      ))}
      <p className="mt-2 text-fg-3 text-xs">
        {details.asOf(
          pricing.as_of ? asOf(pricing.as_of) : details.unknownDay,
          pricing.source ?? details.unknownSource,
        )}
      </p>
    </>
  );
}

const asOf = (day: string): string => {
  const time = Date.parse(`${day}T12:00:00`);
  return Number.isNaN(time) ? day : dayOf(time);
};

function Amount({ amount, unit }: { amount: string; unit: string }) {
  return (
    <>
      {amount} <span className="text-fg-3">{unit}</span>
    </>
  );
}
