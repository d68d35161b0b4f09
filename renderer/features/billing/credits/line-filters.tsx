import { ChevronDown } from 'lucide-react';
import { useLocalSetting } from '../../../browser/use-local-setting.ts';
import { text } from '../../../text/credits-text.ts';
import { Menu, MenuItem } from '../../../ui/dialogs/menu.tsx';
import { Button } from '../../../ui/elements/button.tsx';
import { Segmented } from '../../../ui/forms/segmented.tsx';
import type { LineFilter } from './use-credits.ts';

const types = ['all', 'usage', 'grant', 'purchase', 'refund', 'adjustment', 'expiry', 'byok_fee'] as const;
const periods = ['all', '7', '30', '90'] as const;
const dayMs = 86_400_000;

/** Which lines are shown: a choice that this window remembers. */
export function useLineFilter() {
  const [type, setType] = useLocalSetting('creditsType', types, 'all');
  const [period, setPeriod] = useLocalSetting('creditsPeriod', periods, 'all');
  // From a midnight on: the same question all day, which the cache can answer.
  const midnight = new Date().setHours(0, 0, 0, 0);
  const filter: LineFilter = {
    type: type === 'all' ? null : type,
    start: period === 'all' ? null : midnight - (Number(period) - 1) * dayMs,
  };
  return { type, period, setType, setPeriod, filter, isSet: type !== 'all' || period !== 'all' };
}

const typeName = (type: (typeof types)[number]): string => (type === 'all' ? text.allTypes : text.types[type]);
const periodOptions = periods.map((value) => ({ value, label: text.periods[value] }));

export function LineFilters({ type, period, setType, setPeriod }: ReturnType<typeof useLineFilter>) {
  return (
    <div className="mb-2 flex flex-wrap items-center gap-2">
      <Menu
        trigger={
          <Button aria-label={text.typeChosen(typeName(type))}>
            {typeName(type)}
            <ChevronDown size={14} aria-hidden />
          </Button>
        }
      >
        {types.map((each) => (
          <MenuItem key={each} onClick={() => setType(each)}>
            {typeName(each)}
          </MenuItem>
        ))}
      </Menu>
      <Segmented label={text.period} value={period} options={periodOptions} onChange={setPeriod} />
    </div>
  );
}
