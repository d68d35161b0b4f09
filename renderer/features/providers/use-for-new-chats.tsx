import type { Provider } from '#shared/contract/app/providers.ts';
import type { Model } from '#shared/wire/model.ts';
import { useModels, useSettings, useUpdateSettings } from '../../api/use-core.ts';
import { text } from '../../text/settings-text.ts';
import { Button } from '../../ui/elements/button.tsx';
import { useNotify } from '../../ui/notices/use-notify.ts';

const words = text.providers;

/** After a check that went well: one step that makes the provider's best model the one that new chats start with. */
export function UseForNewChats({ provider }: { provider: Provider }) {
  const models = useModels();
  const settings = useSettings();
  const update = useUpdateSettings();
  const { failed } = useNotify();
  const best = bestModel(models.data?.models ?? [], provider.id);
  if (!best || !settings.data) return null;
  const inUse = settings.data.model === best.id;
  const action = words.takeForNewChats(best.name);
  return (
    <div className="mt-2 pl-9">
      {inUse ? (
        <p role="status" className="text-fg-2 text-sm">
          {words.usedForNewChats(best.name)}
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

/** The one that is rated best; where nobody rated any, the first that it lists. */
function bestModel(models: readonly Model[], provider: string): Model | undefined {
  const able = models.filter((model) => model.provider === provider && model.status === 'available');
  return able.toSorted((a, b) => (b.quality ?? -1) - (a.quality ?? -1))[0];
}
