# find_package(BLEOTAReceiver) defines the target BLEOTAReceiver::BLEOTAReceiver: the library for this machine, or
# for the microcontroller that BLEOTA_TARGET names (armv7em-hf, for example; the folder bleota beside cmake has all).
get_filename_component(_bleota_libraries "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
get_filename_component(_bleota_prefix "${_bleota_libraries}/../.." ABSOLUTE)
if(BLEOTA_TARGET)
  set(_bleota_libraries "${_bleota_libraries}/bleota/${BLEOTA_TARGET}")
endif()
set(_bleota_library "${_bleota_libraries}/libBLEOTAReceiverC.a")
if(NOT EXISTS "${_bleota_library}")
  set(BLEOTAReceiver_FOUND FALSE)
  set(BLEOTAReceiver_NOT_FOUND_MESSAGE "there is no ${_bleota_library}: BLEOTA_TARGET names no target of the library")
elseif(NOT TARGET BLEOTAReceiver::BLEOTAReceiver)
  add_library(BLEOTAReceiver::BLEOTAReceiver STATIC IMPORTED)
  set_target_properties(BLEOTAReceiver::BLEOTAReceiver PROPERTIES
    IMPORTED_LOCATION "${_bleota_library}"
    INTERFACE_INCLUDE_DIRECTORIES "${_bleota_prefix}/include/bleota")
endif()
unset(_bleota_library)
unset(_bleota_libraries)
unset(_bleota_prefix)
