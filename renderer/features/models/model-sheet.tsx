import { Scale, Star } from 'lucide-react';
import { type RefObject, useRef } from 'react';
import type { CatalogueModel } from '#shared/contract/app/catalogue.ts';
import { useProviderName } from '../../api/use-provider-name.ts';
import { useNav } from '../../navigation/nav.ts';
import { quoteGateway } from '../../text/error-text.ts';
import { bytes, count, getDay } from '../../text/format.ts';
import { text } from '../../text/models-text.ts';
import { Sheet } from '../../ui/dialogs/dialog.tsx';
import { Button } from '../../ui/elements/button.tsx';
import { Facts } from '../../ui/elements/facts.tsx';
import { IconButton } from '../../ui/elements/icon-button.tsx';
import { ProviderMark } from '../../ui/elements/provider-mark.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Calculator } from './calculator.tsx';
import { isUnlisted, isUsable } from './filter-models.ts';
import { Status } from './model-row.tsx';
import { OwnUse } from './own-use.tsx';
import { isoDay, PriceFacts } from './price-facts.tsx';
import { PriceHistory } from './price-history.tsx';

const { details } = text;

interface ModelSheetProps {
  model: CatalogueModel | null;
  favourite: boolean;
  /** True if it was chosen for a comparison. */
  picked: boolean;
  models: readonly CatalogueModel[];
  onClose: () => void;
  onOpen: (id: string) => void;
  onUse: (model: CatalogueModel) => void;
  onFavourite: (id: string) => void;
  onPick: (id: string) => void;
}

/** All facts about one model: prices, their history, limits, its retirement, and the account's own use. */
export function ModelSheet({ model, onClose, ...rest }: ModelSheetProps) {
  const first = useRef<HTMLButtonElement>(null);
  return (
    <Sheet
      open={model !== null}
      onOpenChange={(open) => !open && onClose()}
      title={model?.name ?? ''}
      initialFocus={first}
    >
      {model && <Details key={model.id} model={model} first={first} {...rest} />}
    </Sheet>
  );
}

interface DetailsProps extends Omit<ModelSheetProps, 'onClose' | 'model'> {
  model: CatalogueModel;
  /** The element that is focused first. */
  first: RefObject<HTMLButtonElement | null>;
}

function Details({ model, first, favourite, picked, models, onOpen, onUse, onFavourite, onPick }: DetailsProps) {
  const providerName = useProviderName();
  const go = useNav((nav) => nav.go);
  const star = favourite ? text.removeFavourite(model.name) : text.addFavourite(model.name);
  const real = model.kind !== 'router';
  return (
    <>
      <div className="flex items-center gap-2 text-fg-2">
        <ProviderMark provider={model.provider} />
        {providerName(model.owned_by)}
        <span className="flex-1" />
        <Status model={model} />
        {real && (
          <IconButton
            icon={Star}
            label={star}
            size="sm"
            aria-pressed={favourite}
            onClick={() => onFavourite(model.id)}
          />
        )}
      </div>
      {model.description && <p className="mt-3 text-fg-2">{model.description}</p>}
      <Notices model={model} models={models} onOpen={onOpen} />
      {model.status === 'no_credential' && real ? (
        <Button
          ref={first}
          variant="primary"
          className="mt-4 w-full"
          onClick={() => go({ page: 'settings', section: 'providers', setting: providerName(model.provider) })}
        >
          {text.addKey(providerName(model.provider))}
        </Button>
      ) : (
        <Button
          ref={isUsable(model) ? first : null}
          variant="primary"
          className="mt-4 w-full"
          disabled={!isUsable(model)}
          onClick={() => onUse(model)}
        >
          {text.useInChat}
        </Button>
      )}
      {real && (
        <Button className="mt-2 w-full" aria-pressed={picked} onClick={() => onPick(model.id)}>
          <Scale size={14} aria-hidden />
          {picked ? text.uncompare : text.compareThis}
        </Button>
      )}
      <h3 className="mt-6 mb-1 font-semibold text-sm">{details.price}</h3>
      {model.pricing ? (
        <PriceFacts pricing={model.pricing} staleDays={model.staleDays} />
      ) : (
        <p className="text-fg-2">{real ? text.noPrice : text.router}</p>
      )}
      {model.pricing && !model.simulated && <PriceHistory model={model.id} />}
      <h3 className="mt-6 mb-1 font-semibold text-sm">{details.limits}</h3>
      <Limits model={model} />
      {real && <OwnUse model={model.id} />}
      {model.pricing && (
        <Button
          className="mt-3"
          onClick={() =>
            go({ page: 'models', view: 'what-if', search: new URLSearchParams({ pick: model.id }).toString() })
          }
        >
          {details.reprice}
        </Button>
      )}
      {model.pricing && <Calculator models={[model]} />}
    </>
  );
}

type NoticesProps = Pick<ModelSheetProps, 'models' | 'onOpen'> & { model: CatalogueModel };

function Notices({ model, models, onOpen }: NoticesProps) {
  const providerName = useProviderName();
  const { successor } = model;
  const next = successor == null ? undefined : models.find(({ id }) => id === successor);
  return (
    <div className="mt-3 flex flex-col gap-2 empty:hidden">
      {model.unavailable_reason && <Notice tone="warn">{quoteGateway(model.status, model.unavailable_reason)}</Notice>}
      {isUnlisted(model) && <Notice>{details.unlisted(providerName(model.provider))}</Notice>}
      {model.deprecation_date && <Notice tone="warn">{details.deprecated(isoDay(model.deprecation_date))}</Notice>}
      {model.shutdown_date && <Notice tone="warn">{details.shutdown(isoDay(model.shutdown_date))}</Notice>}
      {successor && (
        <Notice>
          {details.successor}{' '}
          {next ? (
            <Button variant="quiet" className="h-6 px-1.5 text-accent" onClick={() => onOpen(next.id)}>
              {next.name}
            </Button>
          ) : (
            successor
          )}
        </Notice>
      )}
    </div>
  );
}

/** Translates a gateway’s terms. An unknown one is shown as it is. */
const named = (names: Readonly<Record<string, string>>, listed: readonly string[]) =>
  listed.map((id) => names[id] ?? id).join(', ');

function Limits({ model }: { model: CatalogueModel }) {
  return (
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
        ...(model.reasoning_efforts?.length ? [[details.effort, model.reasoning_efforts.join(', ')] as const] : []),
        [details.images, count(model.limits.max_images)],
        [details.requestBytes, bytes(model.limits.max_request_bytes)],
        ...(model.created > 0 ? [[details.released, getDay(model.created * 1000)] as const] : []),
        ...(model.aliases.length > 0 ? [[details.aliases, model.aliases.join(', ')] as const] : []),
      ]}
    />
  );
}
