import { useSettings, useUpdateSettings } from '../../api/use-core.ts';
import { text } from '../../text/models-text.ts';
import { useNotify } from '../../ui/notices/use-notify.ts';

const maxRecent = 5;
const nothing: readonly string[] = [];

/** The user’s favourite and recent models. */
export function usePreferred() {
  const settings = useSettings().data;
  const update = useUpdateSettings();
  const { failed } = useNotify();
  const favourites = settings?.favouriteModels ?? nothing;
  const recent = settings?.recentModels ?? nothing;
  const save = (change: Parameters<typeof update.mutate>[0]) =>
    update.mutate(change, { onError: (error) => failed(text.notKept, error) });
  return {
    favourites,
    recent,
    toggleFavourite: (id: string) =>
      save({
        favouriteModels: favourites.includes(id) ? favourites.filter((other) => other !== id) : [...favourites, id],
      }),
    chosen(id: string): void {
      if (id === 'router' || recent[0] === id) return;
      save({ recentModels: [id, ...recent.filter((other) => other !== id)].slice(0, maxRecent) });
    },
  };
}
