import { X } from 'lucide-react';
import { useId, useState } from 'react';
import type { CapScope, Caps, CapsNow, OutsideLimit } from '#shared/contract/chat/caps.ts';
import { amountPattern } from '#shared/contract/common/fields.ts';
import { useCatalogue } from '../../../api/use-catalogue.ts';
import { useGatewayAccounts } from '../../../api/use-gateway-accounts.ts';
import { describeError } from '../../../text/error-text.ts';
import { getRatio, share, usd } from '../../../text/format.ts';
import { text } from '../../../text/settings-text.ts';
import { text as usageText } from '../../../text/usage-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { classNames } from '../../../ui/elements/class-names.ts';
import { IconButton } from '../../../ui/elements/icon-button.tsx';
import { Link } from '../../../ui/elements/link.tsx';
import { Meter } from '../../../ui/elements/meter.tsx';
import { SettingsHeading } from '../../../ui/forms/setting-row.tsx';
import { TextField } from '../../../ui/forms/text-field.tsx';
import { unfinishedForms } from '../../../ui/forms/unfinished-forms.ts';
import { Failure } from '../../../ui/notices/failure.tsx';
import { Notice } from '../../../ui/notices/notice.tsx';
import { SkeletonRows } from '../../../ui/notices/skeleton.tsx';
import { Stale } from '../../../ui/notices/stale.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { useApiKeys } from '../../gateways/keys/use-api-keys.ts';
import { isNothing } from '../usage/series.ts';
import { useCaps, useSetCaps, useTakeOver } from './use-caps.ts';

type ModelCaps = Readonly<Record<string, string>>;

const isAmount = (value: string): boolean => amountPattern.test(value.trim());

/** The fields for the caps of single models: an amount for each, and a field to add a model. */
function ModelCapFields({ caps, onChange }: { caps: ModelCaps; onChange: (caps: ModelCaps) => void }) {
  return (
    <section aria-label={text.caps.models}>
      <SettingsHeading className="mt-3">{text.caps.models}</SettingsHeading>
      <p className="mb-2 text-fg-3 text-xs">{text.caps.modelsNote}</p>
      <div className="flex flex-col gap-3">
        {Object.entries(caps).map(([model, amount]) => (
          <div key={model} className="flex items-end gap-2">
            <TextField
              className="min-w-0 flex-1"
              label={text.caps.inUsd(text.caps.ofModel(model))}
              inputMode="decimal"
              value={amount}
              problem={isAmount(amount) ? undefined : text.caps.notAmount}
              onChange={(event) => onChange({ ...caps, [model]: event.target.value })}
            />
            <IconButton
              icon={X}
              label={text.caps.removeModel(model)}
              onClick={() => onChange(Object.fromEntries(Object.entries(caps).filter(([id]) => id !== model)))}
            />
          </div>
        ))}
        <AddModel caps={caps} onAdd={(model) => onChange({ ...caps, [model]: '' })} />
      </div>
    </section>
  );
}

function AddModel({ caps, onAdd }: { caps: ModelCaps; onAdd: (model: string) => void }) {
  const [model, setModel] = useState('');
  const ids = useCatalogue().data?.models.map(({ id }) => id) ?? [];
  const list = useId();
  const asked = model.trim();
  const isCapped = caps[asked] !== undefined;
  const isKnown = ids.includes(asked);
  const add = () => {
    if (!isKnown || isCapped) return;
    onAdd(asked);
    setModel('');
  };
  return (
    <div className="flex items-end gap-2">
      <TextField
        className="min-w-0 flex-1"
        label={text.caps.model}
        list={list}
        placeholder={text.caps.modelHint}
        value={model}
        problem={isCapped ? text.caps.capped : asked !== '' && !isKnown ? text.caps.unknownModel : undefined}
        onChange={(event) => setModel(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          add();
        }}
      />
      <datalist id={list}>
        {ids.map((id) => (
          <option key={id} value={id} />
        ))}
      </datalist>
      <Button onClick={add} disabled={!isKnown || isCapped}>
        {text.caps.addModel}
      </Button>
    </div>
  );
}

const colours = { free: 'bg-accent', near: 'bg-warn', full: 'bg-bad' } as const;

/** A sum with what it leaves out, as on the Usage page. */
function knownCost(cost: string, unknown: number): string {
  if (unknown === 0) return usd(cost);
  return isNothing(cost) ? usageText.unknown(unknown) : `${usd(cost)} ${usageText.plusUnknown(unknown)}`;
}

/** Shows how much of each period's cap is used, in words and as a bar. */
function CapMeters({ meters, unknown }: Pick<CapsNow, 'meters' | 'unknown'>) {
  if (meters.length === 0) return null;
  return (
    <ul aria-label={text.caps.meters} className="mb-4 flex flex-col gap-3">
      {meters.map(({ scope, model, capUsd, spentUsd, share: part, state }) => {
        const known = scope === 'model' ? usd(spentUsd) : knownCost(spentUsd, unknown[scope]);
        const words = text.caps.meter(known, usd(capUsd), share(part));
        return (
          <li key={`${scope} ${model}`}>
            <div className="flex flex-wrap items-baseline justify-between gap-x-4 text-sm tabular-nums">
              <span className="min-w-0 break-words">
                {scope === 'model' ? text.caps.ofModel(model ?? '') : text.caps.scopes[scope]}
              </span>
              <span className="text-fg-2">{words}</span>
            </div>
            <div aria-hidden className="mt-1 h-1.5 overflow-hidden rounded-full bg-active">
              <div
                className={classNames('h-full rounded-full', colours[state])}
                style={{ width: `${Math.min(100, part * 100)}%` }}
              />
            </div>
            {state !== 'free' && (
              <p className={classNames('mt-1 text-xs', state === 'full' ? 'text-bad' : 'text-warn')}>
                {text.caps.states[state]}
              </p>
            )}
          </li>
        );
      })}
    </ul>
  );
}

const scopes: readonly CapScope[] = ['message', 'conversation', 'day', 'month'];

/** The spending caps and what was spent against them. */
export function CapsSection() {
  const caps = useCaps();
  return (
    <>
      <p className="mb-3 text-fg-2">{text.caps.intro}</p>
      {caps.isError && <Failure title={text.caps.failed} error={caps.error} onRetry={() => void caps.refetch()} />}
      {caps.isPending && <SkeletonRows rows={4} label={text.loading} />}
      {caps.data && (
        <>
          {caps.data.setOutside === null ? <NotKnown /> : <SetOutside limits={caps.data.setOutside} />}
          <CapMeters meters={caps.data.meters} unknown={caps.data.unknown} />
          <CapsForm caps={caps.data.caps} spentUsd={caps.data.spentUsd} unknown={caps.data.unknown} />
          <p className="mt-3 text-fg-3 text-xs">{text.caps.counts[caps.data.counts]}</p>
          {caps.data.setOutside && <SameCaps caps={caps.data.caps} setOutside={caps.data.setOutside} />}
          <p className="mt-1 text-fg-3 text-xs">
            {text.caps.keys}{' '}
            <Link to={{ page: 'settings', section: 'gateway' }} className="font-medium text-accent hover:underline">
              {text.caps.keysLink}
            </Link>
          </p>
          <KeyCaps />
        </>
      )}
    </>
  );
}

const NotKnown = () => (
  <div className="mb-4">
    <Notice tone="warn">{text.caps.notKnown}</Notice>
  </div>
);

/** Warns about account limits that somebody else has set, and offers to replace them by the app's caps. */
function SetOutside({ limits }: { limits: readonly OutsideLimit[] }) {
  const takeOver = useTakeOver();
  const { failed } = useNotify();
  if (limits.length === 0) return null;
  const sentences = limits.map(({ scope, model, limitUsd }) =>
    text.caps.outside[scope](limitUsd && usd(limitUsd), model),
  );
  return (
    <div className="mb-4">
      <Notice tone="warn">
        <p>{text.caps.setOutside(sentences)}</p>
        <Button
          className="mt-2"
          disabled={takeOver.isPending}
          onClick={() => takeOver.mutate(undefined, { onError: (error) => failed(text.caps.notTakenOver, error) })}
        >
          {takeOver.isPending ? text.caps.takingOver : text.caps.takeOver}
        </Button>
      </Notice>
    </div>
  );
}

/** Names the caps that also stop other programs: those for which nobody else has set a limit. */
function SameCaps({ caps, setOutside }: { caps: Caps; setOutside: readonly OutsideLimit[] }) {
  const isSame = (scope: OutsideLimit['scope'], model: string | null = null) =>
    !setOutside.some((limit) => limit.scope === scope && limit.model === model);
  const scopes = [
    ...(['day', 'month'] as const).filter((scope) => caps[scope] !== null && isSame(scope)),
    ...(Object.keys(caps.models).some((model) => isSame('model', model)) ? (['model'] as const) : []),
  ];
  return scopes.length > 0 && <p className="mt-1 text-fg-3 text-xs">{text.caps.sameCaps(scopes)}</p>;
}

const drafts = unfinishedForms<{ fields: Record<CapScope, string>; models: ModelCaps }>();

const getDraft = ({ message, conversation, day, month, models }: Caps) => ({
  fields: { message: message ?? '', conversation: conversation ?? '', day: day ?? '', month: month ?? '' },
  models,
});

function CapsForm({ caps, spentUsd, unknown }: Pick<CapsNow, 'caps' | 'spentUsd' | 'unknown'>) {
  const form = drafts.useUnfinished('caps', getDraft(caps));
  const { fields, models } = form.value;
  const set = useSetCaps();
  const { failed } = useNotify();
  const wrong = scopes.filter((scope) => fields[scope].trim() !== '' && !isAmount(fields[scope]));
  const isWrong = wrong.length > 0 || Object.values(models).some((amount) => !isAmount(amount));
  const getCap = (scope: CapScope) => fields[scope].trim() || null;
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (isWrong) return;
        const [message, conversation, day, month] = scopes.map(getCap) as [
          string | null,
          string | null,
          string | null,
          string | null,
        ];
        const capped = Object.fromEntries(Object.entries(models).map(([model, amount]) => [model, amount.trim()]));
        const saving = set.mutateAsync({ message, conversation, day, month, models: capped });
        void form.finishAfter(saving).catch((error) => failed(text.caps.notSaved, error));
      }}
    >
      <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
        {scopes.map((scope) => (
          <TextField
            key={scope}
            label={text.caps.inUsd(text.caps.scopes[scope])}
            inputMode="decimal"
            placeholder={text.caps.none}
            value={fields[scope]}
            problem={wrong.includes(scope) ? text.caps.notAmount : undefined}
            note={
              scope === 'day' || scope === 'month'
                ? text.caps.spent(knownCost(spentUsd[scope], unknown[scope]))
                : undefined
            }
            onChange={(event) => form.change({ models, fields: { ...fields, [scope]: event.target.value } })}
          />
        ))}
      </div>
      <ModelCapFields caps={models} onChange={(next) => form.change({ fields, models: next })} />
      <p className="text-fg-3 text-xs">{text.caps.note}</p>
      <div className="flex items-center gap-3">
        <Button variant="primary" type="submit" disabled={set.isPending || isWrong}>
          {text.caps.save}
        </Button>
        <p role="status" className="text-fg-3 text-xs">
          {set.isSuccess && text.caps.saved}
        </p>
      </div>
    </form>
  );
}

/** Shows the used part of the spending limits of the paying account's keys. Shows nothing if no key has a limit. */
function KeyCaps() {
  const gateways = useGatewayAccounts().data;
  return gateways ? <Keys key={gateways.active} account={gateways.active ?? 'main'} /> : null;
}

function Keys({ account }: { account: string }) {
  const { keys, error, readAt, refetch } = useApiKeys([account]);
  const limited = (keys ?? []).flatMap((key) => (key.limitUsd === null ? [] : [{ ...key, limitUsd: key.limitUsd }]));
  if (error && !keys) {
    // Without keys, or without permission to read them, there is nothing to show.
    const { code } = describeError(error);
    if (code === 'not_reported' || code === 'insufficient_scope') return null;
    return <Failure title={text.caps.keysFailed} error={error} onRetry={refetch} />;
  }
  if (limited.length === 0) return null;
  return (
    <section aria-label={text.caps.ofKeys}>
      <SettingsHeading className="mt-6">{text.caps.ofKeys}</SettingsHeading>
      <Stale error={error} readAt={readAt} />
      {limited.map(({ id, name, spentUsd, limitUsd }) => {
        const part = getRatio(spentUsd, limitUsd);
        return (
          <Meter
            key={id}
            label={text.caps.keyMeter(name ?? text.caps.unnamedKey)}
            ratio={part}
            value={text.caps.meter(usd(spentUsd), usd(limitUsd), share(part))}
          />
        );
      })}
    </section>
  );
}
