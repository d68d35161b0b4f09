import { KeyRound, type LucideIcon, PlugZap, Sparkles } from 'lucide-react';
import { useAppInfo, useModels, useUpdateSettings } from '../../api/use-core.ts';
import { focusComposer } from '../../handles/handles.ts';
import { useNav } from '../../navigation/nav.ts';
import { useNotify } from '../../ui/notices/use-notify.ts';
import { draftKey, useDrafts } from '../drafts/drafts-store.ts';
import { text } from './welcome-text.ts';

const tourModel = 'sandbox/tour';

/** The first run: three ways to start. The first one fills the composer, so that Send streams an answer. */
export function WelcomeCard() {
  const update = useUpdateSettings();
  const models = useModels();
  const go = useNav((nav) => nav.go);
  const { failed } = useNotify();
  const isStored = useAppInfo().data?.keychain.state !== 'unavailable';
  const onError = (error: Error) => failed(text.failed, error);

  const tryIt = () => {
    const all = models.data?.models ?? [];
    const model = all.find((entry) => entry.id === tourModel) ?? all.find((entry) => entry.simulated);
    const chosen = model?.id ?? tourModel;
    useDrafts.getState().setModel(draftKey(null), chosen);
    useDrafts.getState().setText(draftKey(null), text.prompt);
    update.mutate({ welcomed: true, model: chosen }, { onError });
    focusComposer();
  };
  const leaveFor = (section: 'providers' | 'gateway') => {
    update.mutate({ welcomed: true }, { onError });
    go({ page: 'settings', section });
  };
  return (
    <section
      aria-label={text.title}
      className="measure mb-5 rounded-dialog border border-line bg-raised p-5 shadow-rest"
    >
      <h2 className="font-semibold text-xl tracking-[-0.012em]">{text.title}</h2>
      <p className="mb-4 text-fg-2 text-base">{text.body}</p>
      <div className="grid gap-2 sm:grid-cols-3">
        <Way icon={Sparkles} label={text.tryIt} note={text.tryNote} onClick={tryIt} />
        <Way icon={KeyRound} label={text.addKey} note={text.keyNote(isStored)} onClick={() => leaveFor('providers')} />
        <Way icon={PlugZap} label={text.gateway} note={text.gatewayNote} onClick={() => leaveFor('gateway')} />
      </div>
    </section>
  );
}

interface WayProps {
  icon: LucideIcon;
  label: string;
  note: string;
  onClick: () => void;
}

function Way({ icon: Icon, label, note, onClick }: WayProps) {
  return (
    <div className="relative flex flex-col gap-1 rounded-menu border border-line p-3 focus-within:outline-2 focus-within:outline-ring hover:bg-hover">
      <Icon size={18} strokeWidth={1.75} className="mb-1 text-accent" aria-hidden />
      <button
        type="button"
        onClick={onClick}
        className="text-left font-medium text-base after:absolute after:inset-0 focus-visible:outline-none"
      >
        {label}
      </button>
      <p className="text-fg-2 text-xs">{note}</p>
    </div>
  );
}
