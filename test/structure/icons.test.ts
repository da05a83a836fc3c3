import { readFileSync } from 'node:fs';
import { join } from 'node:path';

// n8n's reviewers look at it, and the published lint does not know it.
describe('an icon', () => {
  /** The relative luminance of a color such as #0ea5e9, by WCAG. */
  const luminance = (color: string): number => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const part = parseInt(color.slice(at, at + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (one: string, other: string): number => {
    const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };

  it.each([
    ['neetoForm.svg', '#ffffff'],
    ['neetoForm.dark.svg', '#2b2b2b'],
  ])('%s stands out from the background %s by 3:1', (file, background) => {
    const svg = readFileSync(join(__dirname, '../../icons', file), 'utf8');
    // The first shape is the outline; the others lie on it.
    const [outline = ''] = /#[0-9a-f]{6}\b/i.exec(svg) ?? [];
    expect(contrast(outline, background)).toBeGreaterThanOrEqual(3);
  });
});
