import { AudioLines, Brain, Eye, FileText, Globe, ImagePlus, type LucideIcon, Wrench } from 'lucide-react';
import type { Ability } from './abilities.ts';

export const abilityIcons: Record<Ability, LucideIcon> = {
  vision: Eye,
  tools: Wrench,
  web_search: Globe,
  image_output: ImagePlus,
  reasoning: Brain,
  audio: AudioLines,
  files: FileText,
};
