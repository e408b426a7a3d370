// A picture decoded and made smaller in the browser: only its pixels travel.
export interface Pixels {
  width: number;
  height: number;
  channels: number;
  pixels: number[];
}

/** The middle square of a picture file, as wide as the model takes it, in three colours or in grey. */
export async function pixelsOf(file: Blob, size: number, channels: number): Promise<Pixels> {
  const bitmap = await createImageBitmap(file);
  const side = Math.min(bitmap.width, bitmap.height);
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = size;
  const pen = canvas.getContext("2d", { willReadFrequently: true })!;
  pen.imageSmoothingQuality = "high";
  pen.drawImage(bitmap, (bitmap.width - side) / 2, (bitmap.height - side) / 2, side, side, 0, 0, size, size);
  const { data } = pen.getImageData(0, 0, size, size);
  const pixels: number[] = [];
  for (let i = 0; i < data.length; i += 4) {
    const [red, green, blue] = [data[i]!, data[i + 1]!, data[i + 2]!];
    if (channels === 1) pixels.push(Math.round(0.299 * red + 0.587 * green + 0.114 * blue));
    else pixels.push(red, green, blue);
  }
  return { width: size, height: size, channels: channels === 1 ? 1 : 3, pixels };
}

/** A character drawn white on black, as the digits are that a model of one colour has seen. */
export function written(character: string, size: number): Pixels {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = size;
  const pen = canvas.getContext("2d", { willReadFrequently: true })!;
  [pen.fillStyle, pen.textAlign, pen.textBaseline] = ["white", "center", "middle"];
  pen.font = `${0.93 * size}px sans-serif`;
  pen.fillText(character, size / 2, 0.57 * size);
  const { data } = pen.getImageData(0, 0, size, size);
  // The ground is transparent black, so that how opaque a pixel is is how white it is.
  return { width: size, height: size, channels: 1, pixels: Array.from({ length: size * size }, (_, i) => data[4 * i + 3]!) };
}

export function draw(canvas: HTMLCanvasElement, image: Pixels): void {
  canvas.width = image.width;
  canvas.height = image.height;
  const pen = canvas.getContext("2d")!;
  const picture = pen.createImageData(image.width, image.height);
  for (let i = 0; i < image.width * image.height; i++) {
    for (let c = 0; c < 3; c++) picture.data[4 * i + c] = image.pixels[i * image.channels + Math.min(c, image.channels - 1)]!;
    picture.data[4 * i + 3] = 255;
  }
  pen.putImageData(picture, 0, 0);
}
