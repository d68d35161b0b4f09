import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useId, useState } from 'react';
import { readLocalSettings, saveLocalSettings } from '../../../browser/local-settings.ts';
import { useLocalSetting } from '../../../browser/use-local-setting.ts';
import { BillingAccountPage } from '../../../page/billing-account-page.tsx';
import { text } from '../../../text/usage-text.ts';
import { IconButton } from '../../../ui/elements/icon-button.tsx';
import { Segmented } from '../../../ui/forms/segmented.tsx';
import { fieldClass } from '../../../ui/forms/text-field.tsx';
import { Skeleton } from '../../../ui/notices/skeleton.tsx';
import {
  type Days,
  daysBack,
  getPresetDays,
  localZone,
  maxDays,
  type Preset,
  presets,
  rangeText,
  readRange,
  todayIn,
} from './periods.ts';
import { Report } from './report.tsx';
import { usePageKeys } from './use-page-keys.ts';

const zones = ['local', 'utc'] as const;

export function UsagePage() {
  const [preset, setPreset] = useLocalSetting('usagePeriod', presets, '30');
  const [zoneKind, setZoneKind] = useLocalSetting('usageZone', zones, 'local');
  const [range, setRange] = useState(() => readRange(readLocalSettings().usageRange));
  /** How many periods back from the newest one. */
  const [back, setBack] = useState(0);
  const zone = zoneKind === 'utc' ? 'UTC' : localZone();
  const today = todayIn(zone);
  const newest = preset === 'custom' ? (range ?? getPresetDays('30', 0, today)) : getPresetDays(preset, 0, today);
  const shown = preset === 'custom' ? daysBack(newest, back) : getPresetDays(preset, back, today);
  const step = (by: 1 | -1) => setBack((now) => Math.max(0, Math.min(400, now + by)));
  usePageKeys({ '[': () => step(1), ']': () => step(-1) });

  const choosePreset = (next: Preset) => {
    if (next === 'custom') chooseRange(shown);
    setBack(0);
    setPreset(next);
  };
  function chooseRange(next: Days) {
    setRange(next);
    setBack(0);
    saveLocalSettings({ usageRange: rangeText(next) });
  }

  const controls = (
    <>
      <Segmented
        label={text.period}
        value={preset}
        onChange={choosePreset}
        options={presets.map((value) => ({ value, label: text.presets[value] }))}
      />
      <span className="flex">
        <IconButton icon={ChevronLeft} label={text.earlier} shortcut="[" onClick={() => step(1)} />
        <IconButton
          icon={ChevronRight}
          label={text.later}
          shortcut="]"
          disabled={back === 0}
          onClick={() => step(-1)}
        />
      </span>
      {preset === 'custom' && <CustomRange key={rangeText(shown)} days={shown} today={today} onChange={chooseRange} />}
    </>
  );
  return (
    <BillingAccountPage
      wide
      title={text.title}
      billingAccountLabel={text.billingAccount}
      failed={text.failed}
      controls={controls}
      loading={<Loading />}
    >
      {(billingAccount) => (
        <Report
          key={billingAccount.id}
          billingAccount={billingAccount}
          period={{ ...shown, zone }}
          today={today}
          loading={<Loading />}
          zone={
            <Segmented
              label={text.zone}
              value={zoneKind}
              onChange={setZoneKind}
              options={zones.map((value) => ({ value, label: text.zones[value] }))}
            />
          }
        />
      )}
    </BillingAccountPage>
  );
}

function Loading() {
  return (
    <div role="status" aria-label={text.loading} className="flex flex-col gap-4 pt-2">
      <Skeleton className="h-9 w-44" />
      <Skeleton className="h-56 w-full" />
      <Skeleton className="h-32 w-full" />
    </div>
  );
}

/** Date fields for the first and the last day of a period. */
function CustomRange({ days, today, onChange }: { days: Days; today: string; onChange: (days: Days) => void }) {
  const [wanted, setWanted] = useState(days);
  const id = useId();
  const isWrong = readRange(rangeText(wanted)) === null;
  const change = (part: Partial<Days>) => {
    const next = { ...wanted, ...part };
    setWanted(next);
    const range = readRange(rangeText(next));
    if (range) onChange(range);
  };
  const ends = [
    ['first', text.from],
    ['last', text.to],
  ] as const;
  return (
    <span className="flex flex-wrap items-center gap-2">
      {ends.map(([end, label]) => (
        <input
          key={end}
          type="date"
          aria-label={label}
          aria-invalid={isWrong || undefined}
          aria-describedby={isWrong ? id : undefined}
          value={wanted[end]}
          max={today}
          onChange={({ target }) => change({ [end]: target.value })}
          className={`${fieldClass} w-36 tabular-nums`}
        />
      ))}
      {isWrong && (
        <span id={id} role="alert" className="text-bad text-xs">
          {text.tooLong(maxDays)}
        </span>
      )}
    </span>
  );
}
