import { scope } from '#shared/wire/account.ts';
import { keysText as words } from '../../../text/keys-text.ts';
import { SettingRow } from '../../../ui/forms/setting-row.tsx';
import { Switch } from '../../../ui/forms/switch.tsx';
import { TextField } from '../../../ui/forms/text-field.tsx';

export type Scope = (typeof scope.options)[number];

/** What is typed about a key. `end`: a day as `2027-01-31`, or empty. */
export interface KeyWish {
  readonly name: string;
  readonly limit: string;
  readonly end: string;
}

const amount = /^\d{1,9}(\.\d{1,9})?$/;

/** The last moment of that day here; null: no end. */
export const getEnd = (day: string): number | null => (day === '' ? null : new Date(`${day}T23:59:59`).getTime());
/** The day of a moment, as a date field writes it. */
export function getDayField(ms: number | null): string {
  if (ms === null) return '';
  const date = new Date(ms);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

export const isLimit = (text: string): boolean => text.trim() === '' || amount.test(text.trim());
export const isEnd = (day: string): boolean => day === '' || (getEnd(day) ?? 0) > Date.now();
export const isComplete = ({ name, limit, end }: KeyWish): boolean =>
  name.trim() !== '' && isLimit(limit) && isEnd(end);
export const getBounds = ({ name, limit, end }: KeyWish) => ({
  name: name.trim(),
  limitUsd: limit.trim() || null,
  expiresAt: getEnd(end),
});

/** Name, limit and end of a key. */
export function KeyFields({ wish, onChange }: { wish: KeyWish; onChange: (wish: KeyWish) => void }) {
  return (
    <>
      <TextField
        label={words.name}
        placeholder={words.namePlaceholder}
        value={wish.name}
        maxLength={100}
        autoFocus
        onChange={(event) => onChange({ ...wish, name: event.target.value })}
      />
      <div className="flex gap-3 max-sm:flex-col">
        <TextField
          className="flex-1"
          label={words.limit}
          placeholder={words.noLimit}
          inputMode="decimal"
          value={wish.limit}
          problem={isLimit(wish.limit) ? undefined : words.notAmount}
          onChange={(event) => onChange({ ...wish, limit: event.target.value })}
        />
        <TextField
          className="flex-1"
          type="date"
          label={words.end}
          value={wish.end}
          problem={isEnd(wish.end) ? undefined : words.notEnd}
          onChange={(event) => onChange({ ...wish, end: event.target.value })}
        />
      </div>
    </>
  );
}

/** What a key may do. */
export function ScopeFields({ value, onChange }: { value: readonly Scope[]; onChange: (value: Scope[]) => void }) {
  return (
    <div>
      <p className="font-medium text-fg-2 text-xs">{words.may}</p>
      {scope.options.map((one) => (
        <SettingRow key={one} name={words.scopes[one].name} note={words.scopes[one].note}>
          <Switch
            label={words.scopes[one].name}
            checked={value.includes(one)}
            onChange={(on) => onChange(scope.options.filter((each) => (each === one ? on : value.includes(each))))}
          />
        </SettingRow>
      ))}
    </div>
  );
}
