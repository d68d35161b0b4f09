import type { CapScope, Caps, OutsideLimit } from '#shared/contract/chat/caps.ts';
import { usd } from '../../../text/format.ts';
import { text } from '../../../text/settings-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { Link } from '../../../ui/elements/link.tsx';
import { SectionTitle } from '../../../ui/forms/setting-row.tsx';
import { TextField } from '../../../ui/forms/text-field.tsx';
import { unfinishedForms } from '../../../ui/forms/unfinished-forms.ts';
import { Failure } from '../../../ui/notices/failure.tsx';
import { Notice } from '../../../ui/notices/notice.tsx';
import { SkeletonRows } from '../../../ui/notices/skeleton.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { CapMeters } from './cap-meters.tsx';
import { KeyCaps } from './key-caps.tsx';
import { isAmount, ModelCapFields, type ModelCaps } from './model-caps.tsx';
import { useCaps, useSetCaps, useTakeOver } from './use-caps.ts';

const scopes: readonly CapScope[] = ['message', 'conversation', 'day', 'month'];

/** Spending caps and what has been spent. */
export function CapsSection() {
  const caps = useCaps();
  return (
    <>
      <SectionTitle>{text.sections.caps}</SectionTitle>
      <p className="mb-3 text-fg-2">{text.caps.intro}</p>
      {caps.isError && <Failure title={text.caps.failed} error={caps.error} onRetry={() => void caps.refetch()} />}
      {caps.isPending && <SkeletonRows rows={4} label={text.loading} />}
      {caps.data && (
        <>
          {caps.data.setOutside === null ? <NotKnown /> : <SetOutside limits={caps.data.setOutside} />}
          <CapMeters meters={caps.data.meters} />
          <CapsForm caps={caps.data.caps} spentUsd={caps.data.spentUsd} />
          <p className="mt-3 text-fg-3 text-xs">{caps.data.whole ? text.caps.whole : text.caps.appOnly}</p>
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

/** Limits that the app has left, because somebody else set them. */
function SetOutside({ limits }: { limits: readonly OutsideLimit[] }) {
  const takeOver = useTakeOver();
  const { failed } = useNotify();
  if (limits.length === 0) return null;
  const said = limits.map(({ scope, model, limitUsd }) => text.caps.outside[scope](limitUsd && usd(limitUsd), model));
  return (
    <div className="mb-4">
      <Notice tone="warn">
        <p>{text.caps.setOutside(said)}</p>
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

/** Which of the caps other programs are refused by as well: those in whose place nobody else has set a limit. */
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

function CapsForm({ caps, spentUsd }: { caps: Caps; spentUsd: { day: string; month: string } }) {
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
            note={scope === 'day' || scope === 'month' ? text.caps.spent(usd(spentUsd[scope])) : undefined}
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
