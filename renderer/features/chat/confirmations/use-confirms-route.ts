import { useModels, useSettings } from '../../../api/use-core.ts';
import { findModel } from '../compare/draft/compare-models.ts';

/** Whether the user wants to confirm the router’s choice for this model. */
export function useConfirmsRoute(): (model: string) => boolean {
  const wanted = useSettings().data?.confirmRoute === true;
  const models = useModels().data?.models ?? [];
  return (model) => wanted && (model === 'router' || findModel(models, model)?.kind === 'router');
}
