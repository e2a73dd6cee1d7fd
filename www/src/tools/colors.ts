/** The colours the page can take: the hue of each in oklch. Lightness and chroma stay those of the theme. */
export const hues = {
  red: 25,
  orange: 55,
  yellow: 95,
  green: 148,
  teal: 195,
  blue: 250,
  purple: 305,
  pink: 350,
  gray: undefined,
} as const;

export type ColorName = keyof typeof hues;

export const colorNames = Object.keys(hues) as ColorName[];

/** The first colour that a text names. */
export const colorIn = (text: string): ColorName | undefined =>
  colorNames.find((name) => new RegExp(`\\b${name}\\b`, "i").test(text));
