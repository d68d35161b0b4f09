import {
  Braces,
  ChevronDown,
  CircleCheck,
  type LucideIcon,
  MessageSquare,
  SlidersHorizontal,
  Star,
  X,
} from 'lucide-react';
import { type ReactNode, type Ref, useState } from 'react';
import type { Model } from '#shared/wire/model.ts';
import { useProviderName } from '../../api/use-provider-name.ts';
import { useNarrow } from '../../browser/use-media.ts';
import { tokens, usd } from '../../text/format.ts';
import { text } from '../../text/models-text.ts';
import { Menu, MenuChoice } from '../../ui/dialogs/menu.tsx';
import { Button } from '../../ui/elements/button.tsx';
import { classNames } from '../../ui/elements/class-names.ts';
import { IconButton } from '../../ui/elements/icon-button.tsx';
import { SearchField } from '../../ui/forms/search-field.tsx';
import { abilities } from './abilities.ts';
import { abilityIcons } from './ability-icons.ts';
import { type ModelFilter, narrowedBy, noFilter } from './filter-models.ts';

const inputPrices = ['0.25', '1', '3', '10'];
const contexts = [32_000, 128_000, 200_000, 1_000_000];

interface FiltersProps {
  models: readonly Model[];
  filter: ModelFilter;
  matching: number;
  searchRef: Ref<HTMLInputElement>;
  /** The id of the chat that was open last. */
  chat: string | null;
  onType: (query: string) => void;
  onChange: (filter: ModelFilter) => void;
  children: ReactNode;
}

/** The filter row above the list. In a narrow window, everything but the search field is behind a button. */
export function ModelsFilters({ models, filter, matching, searchRef, chat, onType, onChange, children }: FiltersProps) {
  const narrow = useNarrow();
  const [open, setOpen] = useState(false);
  const active = narrowedBy(filter);
  const search = <SearchField inputRef={searchRef} label={text.filter} value={filter.query} onChange={onType} />;
  const state = (
    <>
      <span role="status" className="text-fg-3 tabular-nums">
        {active > 0 && text.matching(matching)}
      </span>
      {active > 0 && (
        <IconButton
          icon={X}
          label={text.clear}
          size="sm"
          onClick={() => onChange({ ...noFilter, sort: filter.sort })}
        />
      )}
    </>
  );
  return (
    <search
      aria-label={text.filter}
      className="flex shrink-0 flex-wrap items-center gap-1.5 border-line border-b px-5 pt-1 pb-3 max-sm:px-3"
    >
      {search}
      {narrow && (
        <>
          <Button aria-expanded={open} onClick={() => setOpen(!open)}>
            <SlidersHorizontal size={14} aria-hidden />
            {text.filters(active)}
          </Button>
          {state}
        </>
      )}
      {(!narrow || open) && <Choices models={models} filter={filter} chat={chat} onChange={onChange} />}
      <span className="flex-1" />
      {!narrow && state}
      {children}
    </search>
  );
}

function Choices({ models, filter, chat, onChange }: Pick<FiltersProps, 'models' | 'filter' | 'chat' | 'onChange'>) {
  const fits = filter.fits ?? chat;
  return (
    <>
      <ProviderFilter models={models} filter={filter} onChange={onChange} />
      <OneOf
        label={filter.maxInput === null ? text.price : text.priceUpTo(usd(filter.maxInput))}
        none={text.anyPrice}
        options={inputPrices.map((price) => ({ value: price, label: text.priceUpTo(usd(price)) }))}
        value={filter.maxInput}
        onChange={(maxInput) => onChange({ ...filter, maxInput })}
      />
      <OneOf
        label={filter.minContext === null ? text.columns.context : text.contextLeast(tokens(filter.minContext))}
        none={text.anyContext}
        options={contexts.map((size) => ({ value: size, label: text.contextLeast(tokens(size)) }))}
        value={filter.minContext}
        onChange={(minContext) => onChange({ ...filter, minContext })}
      />
      {abilities.map((ability) => (
        <Chip
          key={ability}
          icon={abilityIcons[ability]}
          pressed={filter.abilities.has(ability)}
          onChange={() => onChange({ ...filter, abilities: toggled(filter.abilities, ability) })}
        >
          {text.capabilities[ability]}
        </Chip>
      ))}
      <Chip
        icon={Braces}
        pressed={filter.abilities.has('json_schema')}
        onChange={() => onChange({ ...filter, abilities: toggled(filter.abilities, 'json_schema') })}
      >
        {text.schema}
      </Chip>
      <Chip icon={CircleCheck} pressed={filter.usable} onChange={(usable) => onChange({ ...filter, usable })}>
        {text.usable}
      </Chip>
      <Chip icon={Star} pressed={filter.favourites} onChange={(favourites) => onChange({ ...filter, favourites })}>
        {text.favourites}
      </Chip>
      {fits !== null && (
        <Chip
          icon={MessageSquare}
          pressed={filter.fits !== null}
          onChange={(pressed) => onChange({ ...filter, fits: pressed ? fits : null })}
        >
          {text.fits}
        </Chip>
      )}
    </>
  );
}

interface OneOfProps<Value> {
  label: string;
  none: string;
  options: readonly { value: Value; label: string }[];
  value: Value | null;
  onChange: (value: Value | null) => void;
}

function OneOf<Value extends string | number>({ label, none, options, value, onChange }: OneOfProps<Value>) {
  return (
    <Menu
      trigger={
        <Button className={value === null ? '' : 'border-accent text-accent'}>
          {label}
          <ChevronDown size={14} aria-hidden />
        </Button>
      }
    >
      <MenuChoice checked={value === null} onChange={() => onChange(null)}>
        {none}
      </MenuChoice>
      {options.map((option) => (
        <MenuChoice key={option.value} checked={option.value === value} onChange={() => onChange(option.value)}>
          {option.label}
        </MenuChoice>
      ))}
    </Menu>
  );
}

function ProviderFilter({ models, filter, onChange }: Pick<FiltersProps, 'models' | 'filter' | 'onChange'>) {
  const providerName = useProviderName();
  const names = new Map(
    models.map((model) => [model.provider, model.provider === 'portico' ? model.name : providerName(model.owned_by)]),
  );
  return (
    <Menu
      trigger={
        <Button className={filter.providers.size === 0 ? '' : 'border-accent text-accent'}>
          {filter.providers.size > 0 ? text.providers(filter.providers.size) : text.provider}
          <ChevronDown size={14} aria-hidden />
        </Button>
      }
    >
      {[...names]
        .sort((a, b) => a[1].localeCompare(b[1]))
        .map(([provider, name]) => (
          <MenuChoice
            key={provider}
            checked={filter.providers.has(provider)}
            onChange={() => onChange({ ...filter, providers: toggled(filter.providers, provider) })}
          >
            {name}
          </MenuChoice>
        ))}
    </Menu>
  );
}

function toggled<Value>(set: ReadonlySet<Value>, value: Value): ReadonlySet<Value> {
  const next = new Set(set);
  if (!next.delete(value)) next.add(value);
  return next;
}

interface ChipProps {
  pressed: boolean;
  onChange: (pressed: boolean) => void;
  icon: LucideIcon;
  children: string;
}

/** A toggle for a filter. */
function Chip({ pressed, onChange, icon: Icon, children }: ChipProps) {
  return (
    <button
      type="button"
      aria-pressed={pressed}
      onClick={() => onChange(!pressed)}
      className={classNames(
        'inline-flex h-control items-center gap-1.5 rounded-control border px-2.5 font-medium text-sm transition-colors duration-[80ms]',
        pressed ? 'border-accent bg-accent-soft text-accent' : 'border-line text-fg-2 hover:bg-hover hover:text-fg',
      )}
    >
      <Icon size={14} strokeWidth={1.75} aria-hidden />
      {children}
    </button>
  );
}
