import { create } from 'zustand';
import { readLocalSettings, saveLocalSettings } from '../../browser/local-settings.ts';

const useWrapStore = create<{ wrap: boolean }>()(() => ({ wrap: readLocalSettings().wrapCode ?? false }));

/** Whether long lines of code are wrapped. One setting applies to all blocks. */
export function useWrap(): [wrap: boolean, toggle: () => void] {
  const wrap = useWrapStore((state) => state.wrap);
  const toggle = () => {
    useWrapStore.setState({ wrap: !wrap });
    saveLocalSettings({ wrapCode: !wrap });
  };
  return [wrap, toggle];
}
