import type { Provider } from '#shared/contract/app/providers.ts';
import type { Model } from '#shared/wire/model.ts';
import { useModels, useSettings, useUpdateSettings } from '../../../api/use-core.ts';
import { text } from '../../../text/settings-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';

const words = text.providers;

/**
 * After a successful check, offers to make the provider’s best model the default for new chats. If one of its models is
 * already the default, shows that one instead.
 */
export function UseForNewChats({ provider }: { provider: Provider }) {
  const models = useModels();
  const settings = useSettings();
  const update = useUpdateSettings();
  const { failed } = useNotify();
  const own =
    models.data?.models.filter((model) => model.provider === provider.id && model.status === 'available') ?? [];
  const best = getBest(own);
  if (!best || !settings.data) return null;
  const chosen = settings.data.model;
  const inUse = own.find(({ id }) => id === chosen);
  const action = words.takeForNewChats(best.name);
  return (
    <div className="mt-2 pl-9">
      {inUse ? (
        <p role="status" className="text-fg-2 text-sm">
          {words.usedForNewChats(inUse.name)}
        </p>
      ) : (
        <Button
          className="max-w-full"
          disabled={update.isPending}
          onClick={() => update.mutate({ model: best.id }, { onError: (error) => failed(action, error) })}
        >
          <span className="truncate">{action}</span>
        </Button>
      )}
    </div>
  );
}

/** Returns the best rated model, or the first one if there are no ratings. */
function getBest(models: readonly Model[]): Model | undefined {
  return models.toSorted((a, b) => (b.quality ?? -1) - (a.quality ?? -1))[0];
}
