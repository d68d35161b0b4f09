import { Clock, Star } from 'lucide-react';
import { memo } from 'react';
import type { CatalogueModel } from '#shared/contract/app/catalogue.ts';
import type { Model } from '#shared/wire/model.ts';
import { useProviderName } from '../../api/use-provider-name.ts';
import { tokens, usdPerMillion } from '../../text/format.ts';
import { text } from '../../text/models-text.ts';
import { Badge } from '../../ui/elements/badge.tsx';
import { classNames } from '../../ui/elements/class-names.ts';
import { ProviderMark } from '../../ui/elements/provider-mark.tsx';
import { abilities, isAble } from './abilities.ts';
import { abilityIcons } from './ability-icons.ts';
import { isUnlisted } from './filter-models.ts';
import { lacksPrice } from './lacks-price.ts';

export interface RowActions {
  onOpen: (model: CatalogueModel) => void;
  onUse: (model: CatalogueModel) => void;
  onPick: (model: CatalogueModel) => void;
  onFavourite: (model: CatalogueModel) => void;
}

interface RowProps extends RowActions {
  model: CatalogueModel;
  index: number;
  narrow: boolean;
  /** True if the Tab key moves to this row. */
  active: boolean;
  picked: boolean;
  favourite: boolean;
}

const cell = 'h-table-row border-line border-b px-2';

/** One row of the models list. In a narrow window it has two lines. */
export const ModelRow = memo(function ModelRow(props: RowProps) {
  const { model, index, narrow, picked, onOpen, onPick } = props;
  const { pricing } = model;
  const price = (perToken: string | null | undefined) =>
    perToken ? usdPerMillion(perToken) : <span className="text-fg-3">—</span>;
  const input = lacksPrice(model) ? (
    <span className="block text-fg-3 text-xs leading-tight">{text.priceUnknown}</span>
  ) : (
    price(pricing?.prompt)
  );
  const open = () => onOpen(model);
  if (narrow) {
    return (
      <tr aria-rowindex={index + 2} onClick={open} className="hover:bg-hover">
        <td className="h-[60px] border-line border-b px-3">
          <Name {...props} />
        </td>
        <td className="w-24 border-line border-b pr-4 text-right">
          <div>{input}</div>
          {pricing && <div className="text-fg-3">{usdPerMillion(pricing.completion)}</div>}
        </td>
      </tr>
    );
  }
  return (
    <tr
      aria-rowindex={index + 2}
      onClick={open}
      className={classNames('group hover:bg-hover', picked && 'bg-accent-soft')}
    >
      <td className={`${cell} pl-5`}>
        <input
          type="checkbox"
          tabIndex={-1}
          checked={picked}
          aria-label={text.compareWith(model.name)}
          onClick={(event) => event.stopPropagation()}
          onChange={() => onPick(model)}
          className="block size-4 accent-(--accent)"
        />
      </td>
      <td className={`${cell} pl-1`}>
        <Name {...props} />
      </td>
      <td className={cell}>
        <Accepts model={model} />
      </td>
      <td className={`${cell} text-right`}>{tokens(model.context_length)}</td>
      <td className={`${cell} text-right`}>
        {model.staleDays !== null && (
          <span title={text.stale(model.staleDays)}>
            <Clock size={11} className="mr-1 inline text-fg-3" aria-hidden />
            <span className="sr-only">{text.stale(model.staleDays)}</span>
          </span>
        )}
        {input}
      </td>
      <td className={`${cell} text-right`}>{price(pricing?.completion)}</td>
      <td className={`${cell} text-right max-lg:hidden`}>{price(pricing?.input_cache_read)}</td>
      <td className={`${cell} pl-6`}>
        <Status model={model} />
      </td>
      <td className={`${cell} pr-5`}>
        <Favourite {...props} />
      </td>
    </tr>
  );
});

function Name({ model, index, narrow, active, picked, favourite, onOpen }: RowProps) {
  const providerName = useProviderName();
  return (
    <div className="flex min-w-0 items-center gap-2.5">
      <ProviderMark provider={model.provider} size={narrow ? 28 : 22} />
      <div className={classNames('min-w-0', !narrow && 'flex items-baseline gap-2')}>
        <span className="flex min-w-0 items-center gap-1">
          <button
            type="button"
            data-row={index}
            tabIndex={active ? 0 : -1}
            aria-keyshortcuts="Space F ArrowDown ArrowUp"
            onClick={(event) => {
              event.stopPropagation();
              onOpen(model);
            }}
            className={classNames(
              'block min-w-0 truncate rounded-tag text-left font-medium text-sm',
              model.status === 'disabled' && 'text-fg-3 line-through',
            )}
          >
            {model.name}
          </button>
          {narrow && favourite && <Star size={12} fill="currentColor" className="shrink-0 text-accent" aria-hidden />}
          {picked && <span className="sr-only">, {text.columns.picked}</span>}
          {favourite && <span className="sr-only">, {text.favourite}</span>}
        </span>
        <span className="block truncate text-fg-3 text-xs">
          {providerName(model.owned_by)}
          {narrow &&
            `, ${tokens(model.context_length)}, ${model.simulated ? text.simulated : text.statuses[model.status]}`}
        </span>
      </div>
    </div>
  );
}

/** A button for the mouse only. The keyboard has F. */
function Favourite({ model, favourite, onFavourite }: RowProps) {
  const label = favourite ? text.removeFavourite(model.name) : text.addFavourite(model.name);
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-label={label}
      aria-pressed={favourite}
      title={label}
      onClick={(event) => {
        event.stopPropagation();
        onFavourite(model);
      }}
      className={classNames(
        'flex size-6 items-center justify-center rounded-tag hover:text-fg',
        favourite ? 'text-accent' : 'text-fg-3 opacity-0 focus-visible:opacity-100 group-hover:opacity-100',
      )}
    >
      <Star size={14} fill={favourite ? 'currentColor' : 'none'} aria-hidden />
    </button>
  );
}

function Accepts({ model }: { model: Model }) {
  const able = abilities.filter((ability) => isAble(model, ability));
  if (able.length === 0 && isUnlisted(model)) return <span className="text-fg-3 text-xs">{text.abilitiesUnknown}</span>;
  return (
    <span
      role="img"
      aria-label={able.map((ability) => text.capabilities[ability]).join(', ') || '—'}
      className="flex gap-1.5 max-lg:gap-0.5"
    >
      {abilities.map((ability) => {
        const Icon = abilityIcons[ability];
        return (
          <Icon
            key={ability}
            size={14}
            strokeWidth={1.75}
            aria-hidden
            className={classNames('shrink-0', able.includes(ability) ? 'text-fg-2' : 'text-line')}
          />
        );
      })}
    </span>
  );
}

export function Status({ model }: { model: Model }) {
  if (model.simulated) return <Badge>{text.simulated}</Badge>;
  const tone = model.status === 'available' ? 'ok' : model.status === 'degraded' ? 'warn' : 'plain';
  return <Badge tone={tone}>{text.statuses[model.status]}</Badge>;
}
