import { Combobox } from '@base-ui/react/combobox';
import { Check, Star } from 'lucide-react';
import type { KeyboardEvent } from 'react';
import { composerText as text } from '../../../text/composer-text.ts';
import { text as modelsText } from '../../../text/models-text.ts';
import { classNames } from '../../../ui/elements/class-names.ts';
import { Keys } from '../../../ui/elements/keys.tsx';
import { ProviderMark } from '../../../ui/elements/provider-mark.tsx';
import { abilityIcons } from '../ability-icons.ts';
import type { usePreferred } from '../use-preferred.ts';
import type { ModelChoice, ModelGroup } from './model-groups.ts';

interface ModelListProps {
  models: number;
  /** How many matches are not rendered. */
  hidden: number;
  label?: string;
  /** Set if favourites can be changed here, with the star or mod+D. */
  preferred?: ReturnType<typeof usePreferred> | undefined;
  /** Returns the element to focus after closing. By default it is the one that opened the list. */
  finalFocus?: () => HTMLElement | null;
  /** The choice that the keyboard has highlighted. */
  highlighted?: () => ModelChoice | undefined;
}

/** The popup of a model combobox: a search field and the models by provider. */
export function ModelList({ models, hidden, label = text.model, preferred, finalFocus, highlighted }: ModelListProps) {
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (!preferred || event.key.toLowerCase() !== 'd' || !(event.ctrlKey || event.metaKey)) return;
    const choice = highlighted?.();
    event.preventDefault();
    if (choice) preferred.toggleFavourite(choice.id);
  };
  return (
    <Combobox.Portal>
      <Combobox.Positioner side="top" align="end" sideOffset={6} collisionPadding={8} className="z-50">
        <Combobox.Popup
          aria-label={label}
          finalFocus={finalFocus}
          className="now flex max-h-[min(var(--available-height),480px)] w-[440px] max-w-[calc(100vw-16px)] flex-col overflow-hidden rounded-menu border border-line bg-raised shadow-float"
        >
          <Combobox.Input
            aria-label={text.searchModels(models)}
            placeholder={text.searchModels(models)}
            onKeyDown={onKeyDown}
            className="h-10 w-full shrink-0 border-line border-b bg-transparent px-3 text-sm focus-visible:outline-none"
          />
          <Combobox.Empty>
            <p className="px-3 py-6 text-center text-fg-2 text-sm">{models === 0 ? text.noModels : text.noModel}</p>
          </Combobox.Empty>
          <Combobox.List className="min-h-0 flex-1 overflow-y-auto p-1 empty:p-0">
            {(group: ModelGroup) => <Group key={group.value} group={group} preferred={preferred} />}
          </Combobox.List>
          <p className="flex justify-between gap-3 border-line border-t px-3 py-1.5 text-fg-3 text-xs">
            <span className="flex items-center gap-1.5">
              {hidden > 0
                ? text.moreModels(hidden)
                : preferred && (
                    <>
                      <Keys keys="mod+D" /> {modelsText.favourite}
                    </>
                  )}
            </span>
            <span>{modelsText.perMillion}</span>
          </p>
        </Combobox.Popup>
      </Combobox.Positioner>
    </Combobox.Portal>
  );
}

type PreferredProps = Pick<ModelListProps, 'preferred'>;

function Group({ group, preferred }: PreferredProps & { group: ModelGroup }) {
  return (
    <Combobox.Group items={group.items}>
      <Combobox.GroupLabel className="px-2 pt-2 pb-1 font-medium text-fg-3 text-xs">{group.value}</Combobox.GroupLabel>
      <Combobox.Collection>
        {(item: ModelChoice) => <Choice key={item.id} choice={item} preferred={preferred} />}
      </Combobox.Collection>
    </Combobox.Group>
  );
}

function Choice({ choice, preferred }: PreferredProps & { choice: ModelChoice }) {
  const note = choice.wantsKey === null ? choice.note : text.addKey;
  return (
    <Combobox.Item
      value={choice}
      disabled={choice.disabled}
      className="group flex min-h-9 items-center gap-2 rounded-control px-2 py-1 text-sm outline-none select-none data-disabled:text-fg-3 data-highlighted:bg-hover"
    >
      <ProviderMark provider={choice.provider} />
      <span className="min-w-0 flex-1 truncate">
        {choice.name}
        {note !== '' && (
          <span className={classNames('text-fg-3 text-xs', choice.disabled ? 'block truncate' : 'ml-2')}>{note}</span>
        )}
      </span>
      <Abilities choice={choice} />
      <span className="w-24 shrink-0 text-right text-fg-3 text-xs tabular-nums">{choice.price}</span>
      {preferred && <FavouriteStar choice={choice} preferred={preferred} />}
      <span className="w-3.5 shrink-0">
        <Combobox.ItemIndicator>
          <Check size={14} aria-hidden />
        </Combobox.ItemIndicator>
      </span>
    </Combobox.Item>
  );
}

/** Icons for what the model can do. */
function Abilities({ choice: { abilities, disabled } }: { choice: ModelChoice }) {
  if (abilities.length === 0 || disabled) return null;
  return (
    <span className="flex shrink-0 items-center gap-1 text-fg-3 max-sm:hidden">
      {abilities.map((ability) => {
        const Icon = abilityIcons[ability];
        return <Icon key={ability} size={13} strokeWidth={1.75} aria-hidden />;
      })}
      <span className="sr-only">{abilities.map((ability) => modelsText.capabilities[ability]).join(', ')}</span>
    </span>
  );
}

/** A star for the mouse only. The keyboard has mod+D, because an option can't contain a control. */
function FavouriteStar({ choice, preferred }: { preferred: ReturnType<typeof usePreferred>; choice: ModelChoice }) {
  const { id, name, wantsKey } = choice;
  const chosen = preferred.favourites.includes(id);
  if (choice.disabled || wantsKey !== null || id === 'router') return <span className="w-5 shrink-0" />;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: see above
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <span
      title={chosen ? modelsText.removeFavourite(name) : modelsText.addFavourite(name)}
      data-chosen={chosen || undefined}
      className="flex size-5 shrink-0 cursor-default items-center justify-center rounded-tag text-fg-3 opacity-0 hover:text-fg group-hover:opacity-100 group-data-highlighted:opacity-100 data-chosen:text-accent data-chosen:opacity-100"
      onPointerDown={(event) => event.stopPropagation()}
      onMouseUp={(event) => event.stopPropagation()}
      onClick={(event) => {
        event.preventDefault();
        event.stopPropagation();
        preferred.toggleFavourite(id);
      }}
    >
      <Star size={13} fill={chosen ? 'currentColor' : 'none'} aria-hidden />
      {chosen && <span className="sr-only">{modelsText.favourite}</span>}
    </span>
  );
}
