@_exported public import BLEOTA
@_exported public import BlueZ
