import { SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import type { NamedOptions as Options } from '#shared/contract/chat/options.ts';
import type { Model } from '#shared/wire/model.ts';
import { useOffers } from '../../../actions/offers.ts';
import { lazyView } from '../../../page/lazy-view.tsx';
import { ViewBoundary } from '../../../page/view-boundary.tsx';
import { composerText as text } from '../../../text/composer-text.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { IconButton } from '../../../ui/elements/icon-button.tsx';
import { Failure } from '../../../ui/notices/failure.tsx';
import { SkeletonRows } from '../../../ui/notices/skeleton.tsx';
import { useOptions } from './use-options.ts';

const OptionsForm = lazyView(() => import('./options-form.tsx').then((file) => file.OptionsForm));

interface ChatOptionsProps {
  chat: string;
  model: Model | null;
  onModel: (model: string) => void;
}

/** The options of a chat: system prompt, parameters, and what happens when it grows too long. */
export function ChatOptions({ chat, model, onModel }: ChatOptionsProps) {
  const [open, setOpen] = useState(false);
  const { query } = useOptions(chat);
  useOffers({ chatOptions: () => setOpen(true) });
  const changed = query.data ? isChanged(query.data) : false;
  return (
    <>
      <IconButton
        icon={SlidersHorizontal}
        label={changed ? text.optionsSet : text.options}
        action="chatOptions"
        className={changed ? 'text-accent' : ''}
        onClick={() => setOpen(true)}
      />
      <Dialog open={open} onOpenChange={setOpen} title={text.options} width="wide">
        {query.isError && (
          <Failure title={text.optionsFailed} error={query.error} onRetry={() => void query.refetch()} />
        )}
        {query.isPending && <SkeletonRows rows={3} label={text.optionsLoading} />}
        {query.data && (
          <ViewBoundary name={text.options} loading={<SkeletonRows rows={6} label={text.optionsLoading} />}>
            <OptionsForm
              chat={chat}
              options={query.data}
              model={model}
              onModel={onModel}
              onDone={() => setOpen(false)}
            />
          </ViewBoundary>
        )}
      </Dialog>
    </>
  );
}

const isChanged = ({ system, parameters, router, overflow, summarise, ignore }: Options): boolean =>
  system !== '' ||
  router.policy !== 'balanced' ||
  router.maxCostUsd !== null ||
  summarise ||
  ignore.length > 0 ||
  overflow !== 'stop' ||
  Object.values(parameters).some((value) => value !== null);
