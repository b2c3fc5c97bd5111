// What Swift sees of minizip, which reads ZIP files.
#include <minizip/unzip.h>
